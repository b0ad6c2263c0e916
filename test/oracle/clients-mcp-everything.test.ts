/** The reference MCP server from npm, used end to end: tools, pictures, resources, progress, questions. It is installed separately. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Client } from "../../src/client/client.ts";
import { verifies } from "../support/verifies.ts";

const folder = path.join(process.env["CLIENTS_DIR"] ?? "/var/tmp/parley-clients", "everything");
const program = path.join(folder, "node_modules/.bin/mcp-server-everything");

/** Why it is not available; undefined if it is. */
function install(): string | undefined {
  if (existsSync(program)) return undefined;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "package.json"), '{"private":true}');
  const flags = ["i", "--no-audit", "--no-fund", "--ignore-scripts", "@modelcontextprotocol/server-everything"];
  const { status, stderr } = spawnSync("npm", flags, { cwd: folder, encoding: "utf8", timeout: 120_000 });
  return status === 0 && existsSync(program) ? undefined : `the reference MCP server cannot be installed: ${stderr?.slice(-200)}`;
}
const skip = install();

const config = `approval_policy = "on-request"\n[mcp_servers.everything]\ncommand = "${program}"\nstartup_timeout_sec = 60\napproval = "allow"\n`;
const call = (tool: string, args: object = {}) => ({ call: `mcp__everything__${tool}`, with: args });

// biome-ignore lint/suspicious/noExplicitAny: items of every kind
type Item = any;

async function turn(client: Client, cwd: string): Promise<{ items: Item[]; reply: string }> {
  const items: Item[] = [];
  const ended = Promise.withResolvers<void>();
  client.on("item/completed", ({ item }) => items.push(item));
  client.on("turn/completed", () => ended.resolve());
  const { thread } = await client.call("thread/start", { cwd });
  await client.call("turn/start", { threadId: thread.id, input: [{ type: "text", text: "go", text_elements: [] }] });
  await ended.promise;
  return { items: items.filter(({ type }) => type === "mcpToolCall"), reply: items.findLast(({ type }) => type === "agentMessage")?.text };
}

verifies(
  "mcp.everything",
  async ({ app, workspace }) => {
    const client = await app({
      turns: [
        [
          call("echo", { message: "plum" }),
          call("get-sum", { a: 2, b: 40 }),
          call("get-structured-content", { location: "Chicago" }),
          call("get-tiny-image"),
          call("get-resource-reference"),
          { say: "done" },
        ],
      ],
      config,
    });
    const { items } = await turn(client, workspace);
    const by = (tool: string): Item => items.find((item) => item.tool === tool);
    assert.ok(
      items.every(({ status }) => status === "completed"),
      JSON.stringify(items.map(({ tool, status, error }) => [tool, status, error])),
    );
    assert.match(by("echo").result.content[0].text, /plum/);
    assert.match(by("get-sum").result.content[0].text, /42/);
    assert.equal(typeof by("get-structured-content").result.structuredContent.temperature, "number");
    assert.ok(by("get-tiny-image").result.content.some(({ type, mimeType }: Item) => type === "image" && mimeType === "image/png"));
    assert.ok(by("get-resource-reference").result.content.some(({ type }: Item) => type === "resource"));
  },
  { skip },
);

verifies(
  "mcp.everythingResources",
  async ({ app }) => {
    const client = await app({ config });
    const { data } = await client.call("mcpServerStatus/list", {});
    assert.equal(data[0]?.runtimeStatus, "connected", JSON.stringify(data[0]));
    assert.ok(data[0].resources.length > 0);
    assert.ok(data[0].resourceTemplates.some(({ uriTemplate }) => uriTemplate.includes("{resourceId}")));
    const { contents } = await client.call("mcpServer/resource/read", { server: "everything", uri: "demo://resource/dynamic/text/1" });
    assert.ok("text" in (contents[0] ?? {}));
  },
  { skip },
);

verifies(
  "mcp.everythingProgress",
  async ({ app, workspace }) => {
    const client = await app({ turns: [[call("trigger-long-running-operation", { duration: 1, steps: 4 }), "{{output}}"]], config });
    const messages: string[] = [];
    client.on("item/mcpToolCall/progress", ({ message }) => messages.push(message));
    await turn(client, workspace);
    assert.ok(messages.length >= 3, messages.join());
  },
  { skip },
);

verifies(
  "mcp.everythingQuestions",
  async ({ app, workspace }) => {
    const client = await app({
      turns: [
        [
          call("trigger-elicitation-request"),
          call("trigger-url-elicitation", { url: "https://example.com/a" }),
          call("trigger-url-elicitation", { url: "https://example.com/b", errorPath: true }),
          { say: "done" },
        ],
      ],
      config,
    });
    const asked: string[] = [];
    client.answer("mcpServer/elicitation/request", (params) => {
      asked.push(params.mode === "url" ? params.url : params.mode);
      if (params.mode !== "form") return { action: "accept" };
      const required = params.requestedSchema.required ?? [];
      return { action: "accept", content: Object.fromEntries(required.map((name) => [name, "Ada"])) };
    });
    const { items } = await turn(client, workspace);
    for (const question of ["form", "https://example.com/a", "https://example.com/b"]) assert.ok(asked.includes(question), asked.join());
    const form = items.find(({ tool }) => tool === "trigger-elicitation-request");
    assert.equal(form.status, "completed");
    assert.match(JSON.stringify(form.result.content), /Ada/);
    assert.deepEqual(
      items.filter(({ tool }) => tool === "trigger-url-elicitation").map(({ status, error }) => [status, error]),
      [
        ["completed", null],
        ["completed", null],
      ],
    );
  },
  { skip },
);
