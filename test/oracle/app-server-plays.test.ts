/** Steps of Codex's own app-server tests on Parley and on the real Codex 0.166: folders, files elsewhere, profiles, compaction, device codes, signals. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { connectClient } from "../../src/client/client.ts";
import { writeFiles } from "../scenarios/plugin/stage.ts";
import { responsesFrames } from "../support/model-mocks/frames.ts";
import { type Answer, MockProvider, stream } from "../support/model-mocks/server.ts";
import { ServerProcess, scratch } from "../support/process.ts";
import { mockHome, playOnBoth, program, type Side, skip } from "./side.ts";

const json =
  (status: number, body: object): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  };

/** How the issuer of accounts answers, by the end of the address. */
let issuer: Readonly<Record<string, Answer>> = {};
let held = Promise.resolve();
let asked = Promise.withResolvers<void>();
/** The issuer of accounts, and a model that runs what follows RUN. */
const model = new MockProvider(async (response, request) => {
  const answer = issuer[path.basename(request.path)];
  if (answer !== undefined) return await answer(response, request);
  const items = Array.isArray(request.body["input"]) ? request.body["input"] : [];
  const command = /RUN (.*?)"/.exec(JSON.stringify(items.findLast(({ role }) => role === "user")))?.[1];
  const isRun = command !== undefined && !items.some(({ type }) => String(type).endsWith("_output"));
  asked.resolve();
  await held;
  const call = { id: "call_run", name: "exec_command", args: JSON.stringify({ cmd: command }) };
  return stream(responsesFrames(isRun ? { calls: [call] } : { text: "answered" }))(response, request);
});
let provider = "";
test.before(async () => {
  provider = await model.listen();
});
test.after(() => model[Symbol.asyncDispose]());

const ask = (side: Side, method: string, params: object): Promise<unknown> => side.call(method, params).catch(String);
const noTmp = { "sandbox_workspace_write.exclude_slash_tmp": true, "sandbox_workspace_write.exclude_tmpdir_env_var": true };

test("only the folders that a client names are writable and shown", { skip, timeout: 300_000 }, async (t) => {
  const outcome = await playOnBoth({ t, provider }, async (side) => {
    const at = (name: string): string => path.join(side.folder, name);
    mkdirSync(at("extra"));
    const params = { cwd: at("ws"), sandbox: "workspace-write", runtimeWorkspaceRoots: [at("extra")], config: noTmp };
    const { thread, cwd, runtimeWorkspaceRoots, sandbox } = await side.call("thread/start", params);
    await side.turn(thread.id, `RUN touch ${at("ws")}/a; touch ${at("extra")}/b; true`);
    const made = [existsSync(at("ws/a")), existsSync(at("extra/b"))];
    const none = await side.call("thread/start", { ...params, runtimeWorkspaceRoots: [] });
    return { cwd, runtimeWorkspaceRoots, sandbox, made, none: none.runtimeWorkspaceRoots };
  });
  assert.deepEqual(outcome.made, [false, true]);
});

test("a thread's file elsewhere is resumed, continued and forked; profiles are not written", { skip, timeout: 300_000 }, async (t) => {
  const id = "019a0000-0000-7000-8000-00000000000a";
  const file = `other/rollout-2025-01-05T12-00-00-${id}.jsonl`;
  await playOnBoth(
    { t, provider },
    async (side) => {
      const at = path.join(side.folder, file);
      const { thread } = await side.call("thread/resume", { threadId: "none", path: at });
      await side.turn(id, "more");
      const fork = await side.call("thread/fork", { threadId: "none", path: at });
      const edit = (keyPath: string) => ({ edits: [{ keyPath, value: "x", mergeStrategy: "replace" }] });
      return {
        opened: [thread.id, thread.path, thread.preview, thread.status, thread.turns.length],
        isLonger: readFileSync(at, "utf8").includes("answered"),
        fork: fork.thread.turns.length,
        listed: (await side.call("thread/list", {})).data.map((each: { id: string }) => each.id).includes(id),
        missing: await ask(side, "thread/resume", { threadId: "none", path: at.replace("00a.", "00b.") }),
        profile: [await ask(side, "config/batchWrite", edit("profiles.a.model")), await ask(side, "config/batchWrite", edit("profile"))],
        modes: (await side.call("thread/start", { historyMode: "paginated" })).thread.historyMode,
      };
    },
    (folder) => {
      const line = (type: string, payload: object): string => `${JSON.stringify({ timestamp: "2025-01-05T12:00:00Z", type, payload })}\n`;
      const meta = {
        id,
        timestamp: "2025-01-05T12:00:00Z",
        cwd: "/",
        originator: "x",
        cli_version: "0",
        source: "cli",
        model_provider: "mock",
      };
      const said = { type: "message", role: "user", content: [{ type: "input_text", text: "Saved" }] };
      const event = { type: "user_message", message: "Saved", kind: "plain" };
      writeFiles(folder, { [file]: line("session_meta", meta) + line("response_item", said) + line("event_msg", event) });
    },
  );
});

test("a compaction has the same items and raw answer", { skip, timeout: 300_000 }, async (t) => {
  await playOnBoth({ t, provider }, async (side) => {
    const { thread } = await side.call("thread/start", { cwd: path.join(side.folder, "ws"), experimentalRawEvents: true });
    await side.call("thread/compact/start", { threadId: thread.id });
    await side.notified("turn/completed");
    const kinds = side.received.flatMap(({ method, params }) => {
      if (method === "rawResponse/completed") return [[method, typeof params.responseId, params.usage.totalTokens]];
      return params.item?.type === "contextCompaction" ? [[method]] : [];
    });
    return { kinds, refused: await ask(side, "thread/compact/start", { threadId: "not-a-uuid" }) };
  });
});

test("a device code is refused, cancelled and fails in the same way", { skip, timeout: 300_000 }, async (t) => {
  const code = json(200, { device_auth_id: "d", user_code: "CODE-1", interval: "0" });
  const outcome = await playOnBoth(
    { t, provider, env: { CODEX_APP_SERVER_LOGIN_ISSUER: provider } },
    async (side) => {
      const login = () => side.call("account/login/start", { type: "chatgptDeviceCode" });
      issuer = { usercode: json(404, {}) };
      const off = String(await login().catch(String));
      issuer = { usercode: code, token: json(500, {}) };
      const { loginId, userCode, verificationUrl } = await login();
      const failed = await side.notified("account/login/completed", (params) => params.loginId === loginId);
      issuer = { usercode: code, token: json(404, {}) };
      const second = await login();
      const cancelled = await side.call("account/login/cancel", { loginId: second.loginId });
      const ended = await side.notified("account/login/completed", (params) => params.loginId === second.loginId);
      issuer = {};
      return {
        off: off.includes("device code login is not enabled"),
        started: [userCode, verificationUrl],
        failed: [failed.success, failed.error.includes("device auth failed with status 500")],
        cancelled: [cancelled, ended.success, typeof ended.error],
        stored: existsSync(path.join(side.folder, "home", "auth.json")),
      };
    },
    (folder) => withIssuer(folder),
  );
  assert.deepEqual([outcome.off, outcome.failed, outcome.stored], [true, [false, true], false]);
});

function withIssuer(folder: string): void {
  const file = path.join(folder, "home", "config.toml");
  writeFileSync(file, readFileSync(file, "utf8").replace("supports_websockets", "requires_openai_auth = true\nsupports_websockets"));
}

/** What a listening server does with a signal while a turn runs, which ends after it. */
async function signalled(t: TestContext, signal: NodeJS.Signals, command: object): Promise<unknown> {
  const folder = scratch(t);
  mockHome(folder, provider);
  const gate = Promise.withResolvers<void>();
  held = gate.promise;
  asked = Promise.withResolvers();
  const server = new ServerProcess(t, ["--listen", "ws://127.0.0.1:0"], {}, { folder, ...command });
  const url = await server.until(() => /ws:\/\/127\.0\.0\.1:\d+/.exec(server.stderr)?.[0], "the address");
  const client = await connectClient(url);
  const { thread } = await client.call("thread/start", { cwd: folder });
  await client.call("turn/start", { threadId: thread.id, input: [{ type: "text", text: "go" }] });
  await asked.promise;
  server.child.kill(signal);
  const { data } = await client.call("thread/loaded/list", {}); // it still serves
  gate.resolve();
  const { code } = await server.ended;
  return [data.length, code];
}

for (const signal of ["SIGTERM", "SIGHUP"] as const)
  test(`a listening server finishes its turn after ${signal}`, { skip, timeout: 300_000 }, async (t) => {
    const theirs = await signalled(t, signal, { program, args: ["-c", "features.remote_models=false", "app-server"] });
    assert.deepEqual(await signalled(t, signal, {}), theirs);
    held = Promise.resolve();
  });
