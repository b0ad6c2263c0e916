/** The same steps with an MCP server on Parley and on the real Codex 0.166: what Codex's own tests of mcpServer/* do. */
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { responsesFrames } from "../support/model-mocks/frames.ts";
import { MockProvider, stream } from "../support/model-mocks/server.ts";
import { root } from "../support/process.ts";
import type { Message } from "../support/wire.ts";
import { playOnBoth, type Side, skip } from "./side.ts";

const fixture = path.join(root, "test/support/mcp-fixture.ts");
const config = `\n[mcp_servers.notes]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(fixture)}, "meta"]\nstartup_timeout_sec = 60\n`;
const unknownThread = "01a00000-0000-7000-8000-000000000000";

/** Calls the tool that the message names, under the name that it was offered by. */
const model = new MockProvider((response, request) => {
  const input = Array.isArray(request.body["input"]) ? request.body["input"] : [];
  const asked = input.findLastIndex((item) => /CALL \w+/.test(JSON.stringify(item.content ?? "")));
  const isDone = input.slice(asked).some(({ type }) => String(type).endsWith("_output"));
  const name = /CALL (\w+)/.exec(JSON.stringify(input[asked]?.content ?? ""))?.[1] ?? "";
  const spaced = JSON.stringify(request.body["tools"]).includes('"namespace"');
  const call = { id: "call_1", args: "{}", ...(spaced ? { namespace: "mcp__notes", name } : { name: `mcp__notes__${name}` }) };
  return stream(responsesFrames(asked < 0 || isDone ? { text: "answered" } : { calls: [call] }))(response, request);
});

const withoutTimes = ({ startedAtMs: _start, completedAtMs: _end, durationMs: _took, ...item }: Message): Message => item;

async function steps(side: Side): Promise<unknown> {
  const { thread } = await side.call("thread/start", { cwd: path.join(side.folder, "ws"), approvalPolicy: "on-request" });
  await side.notified("mcpServer/startupStatus/updated", ({ name, status }) => name === "notes" && status === "ready");
  const call = (tool: string, args: object = {}, more: object = {}) =>
    side.call("mcpServer/tool/call", { threadId: thread.id, server: "notes", tool, arguments: args, ...more }).catch(String);
  const asked = async (tool: string, answer: object, args: object = {}) => {
    const next = side.answerNext("mcpServer/elicitation/request", answer);
    const result = call(tool, args);
    const { threadId, ...params } = await next;
    assert.equal(threadId, thread.id);
    return [params, await result];
  };
  const read = (more: object) =>
    side.call("mcpServer/resource/read", { threadId: thread.id, server: "notes", uri: "fixture://note", ...more }).catch(String);
  const meta = JSON.parse((await call("meta", {}, { _meta: { source: "mcp-app" } })).content[0].text);
  const [status] = (await side.call("mcpServerStatus/list", { threadId: thread.id })).data;
  const item = ({ method, params }: Message): Message[] =>
    method?.startsWith("item/") && params.item?.type === "mcpToolCall" ? [[method, withoutTimes(params.item)]] : [];
  return {
    plain: await call("read", { name: "a" }),
    meta: [meta.source, meta.threadId === thread.id, Object.keys(meta)],
    noThread: await call("read", { name: "a" }, { threadId: unknownThread }),
    noServer: await call("read", { name: "a" }, { server: "none" }),
    noTool: /no tool none$/.test(await call("none")), // Parley names the server too
    form: await asked("ask", { action: "accept", content: { name: "Ada" }, _meta: null }),
    declined: await asked("ask", { action: "decline", content: null, _meta: null }),
    url: await asked("open", { action: "accept", content: null, _meta: null }, { url: "https://example.com/x" }),
    resource: await read({}),
    resourceWithoutThread: await read({ threadId: null }),
    resourceOfNoThread: await read({ threadId: unknownThread }),
    status: { ...status, tools: Object.keys(status.tools).sort() },
    turn: (await side.turn(thread.id, "CALL rename")).flatMap(item),
  };
}

test("MCP servers: the same answers, questions, errors and items", { skip, timeout: 300_000 }, async (t) => {
  const provider = await model.listen();
  t.after(() => model[Symbol.asyncDispose]());
  await playOnBoth({ t, provider }, steps, (folder) => appendFileSync(path.join(folder, "home", "config.toml"), config));
});
