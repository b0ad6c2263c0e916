/** MCP servers that answer twice, flood, send garbage and never end a line: the call ends with an error message, the thread continues, and the model gets little text. */
import assert from "node:assert/strict";
import path from "node:path";
import type { Client } from "../../../src/client/client.ts";
import { root } from "../../support/process.ts";
import { verifies } from "../../support/verifies.ts";

const server = `approval_policy = "never"\n[mcp_servers.bad]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(path.join(root, "test/support/hostile-mcp.ts"))}]\nstartup_timeout_sec = 60\ntool_timeout_sec = 60\n`;
const calls = (...names: string[]) =>
  names.map((name) => ({ user: `/^${name}$/`, steps: [{ call: `mcp__bad__${name}` }, { say: "{{output}}" }] }));

// biome-ignore lint/suspicious/noExplicitAny: items of every kind
type Item = any;

async function turn(client: Client, threadId: string, text: string): Promise<{ call: Item; reply: string; status: string }> {
  const items: Item[] = [];
  const stop = client.on("item/completed", ({ item }) => items.push(item));
  const ended = Promise.withResolvers<string>();
  const unlisten = client.on("turn/completed", ({ turn }) => ended.resolve(turn.status));
  await client.call("turn/start", { threadId, input: [{ type: "text", text, text_elements: [] }] });
  const status = await ended.promise;
  stop();
  unlisten();
  const reply = items.findLast(({ type }) => type === "agentMessage")?.text ?? "";
  return { call: items.find(({ type }) => type === "mcpToolCall"), reply, status };
}

verifies(
  "trust.mcpAnswers",
  async ({ app, workspace }) => {
    const client = await app({ turns: calls("twice", "stray", "flood", "lists", "asks", "shapeless"), config: server });
    const { thread } = await client.call("thread/start", { cwd: workspace });
    for (const [name, expected] of [
      ["twice", /^first$/],
      ["stray", /^the answer$/],
      ["flood", /^after the flood$/],
      ["asks", /^asked$/],
      ["twice", /^first$/],
    ] as const) {
      const { reply, status } = await turn(client, thread.id, name);
      assert.equal(status, "completed", name);
      assert.match(reply, expected, name);
    }
    const listed = Number(/listed (\d+) times/.exec((await turn(client, thread.id, "lists")).reply)?.[1]);
    assert.ok(listed >= 2 && listed <= 20, `thousands of list_changed made us ask ${listed} times`);
    const { call, status } = await turn(client, thread.id, "shapeless");
    assert.deepEqual([call.status, status], ["failed", "completed"], "an answer of no known shape is an error of the call");
  },
  { legs: ["memory"] },
);

verifies(
  "trust.mcpFloods",
  async ({ app, workspace }) => {
    const client = await app({
      turns: [...calls("huge", "endless", "pictures", "twice"), { user: "/./", steps: [{ say: "fine" }] }],
      config: server,
    });
    const { thread } = await client.call("thread/start", { cwd: workspace });
    const { call: pictures } = await turn(client, thread.id, "pictures");
    assert.equal(pictures.status, "completed");
    assert.ok(JSON.stringify(pictures).length < 12 * 1024 * 1024);
    for (const name of ["huge", "endless"]) {
      const { call, reply, status } = await turn(client, thread.id, name);
      assert.deepEqual([call.status, status], ["failed", "completed"], name);
      assert.ok(JSON.stringify(call).length < 5000 && reply.length < 5000, "an error is short");
      if (name === "huge")
        assert.match((await turn(client, thread.id, "twice")).reply, /first/, "a server that was cut off is started again");
    }
    assert.equal((await turn(client, thread.id, "anything else")).status, "completed");
  },
  { legs: ["memory"] },
);

verifies(
  "trust.mcpNames",
  async ({ app, workspace }) => {
    const client = await app({
      turns: [[{ expect: { tools: ["mcp__bad__twice", "exec_command"] } }, { say: "ok" }]],
      config: `features.tool_search = false\n${server}`,
    });
    const warnings: string[] = [];
    client.on("warning", ({ message }) => warnings.push(message));
    const { thread } = await client.call("thread/start", { cwd: workspace });
    assert.equal((await turn(client, thread.id, "go")).reply, "ok");
    assert.match(warnings.join("\n"), /the MCP server bad is cut: it offers 20\d\d tools, of which the first 512 are used; name those/);
    const { data } = await client.call("mcpServerStatus/list", {});
    const names = Object.keys(data[0]?.tools ?? {});
    assert.ok(names.length > 10 && names.length <= 600, `${names.length} tools`);
    assert.ok(names.includes("twice"));
  },
  { legs: ["memory"] },
);

verifies(
  "trust.mcpCrowd",
  async ({ app, workspace }) => {
    const config = server
      .replace(/hostile-mcp\.ts"/, '$&, "crowd"')
      .replace("startup_timeout_sec", 'enabled_tools = ["twice", "many99999"]\nstartup_timeout_sec');
    const client = await app({ turns: [[{ expect: { tools: ["mcp__bad__twice", "mcp__bad__many99999"] } }, { say: "ok" }]], config });
    const { thread } = await client.call("thread/start", { cwd: workspace });
    assert.equal((await turn(client, thread.id, "go")).reply, "ok");
  },
  { legs: ["memory"] },
);
