/** What current clients send and read beyond the documents: picture details, modes with a model, raw answers, names of forks. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { responsesFrames } from "../../support/model-mocks/frames.ts";
import { MockProvider, stream } from "../../support/model-mocks/server.ts";
import { type Stage, type StageOptions, verifies } from "../../support/verifies.ts";
import type { Message, Wire } from "../../support/wire.ts";

const dot = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const text = (content: string) => ({ type: "text", text: content, text_elements: [] });

async function opened(stage: Stage, options: StageOptions, params: Record<string, unknown> = {}) {
  const wire = await stage.wire(options);
  await wire.initialize({ experimentalApi: true, optOutNotificationMethods: [] });
  const { result } = await wire.ask("thread/start", { cwd: stage.workspace, ...params });
  return { wire, threadId: result.thread.id as string };
}

async function turn(wire: Wire, threadId: string, params: Record<string, unknown> = {}): Promise<readonly Message[]> {
  const { result } = await wire.ask("turn/start", { threadId, input: [text("go")], ...params });
  await wire.until((m) => m.method === "turn/completed" && m.params.turn.id === result.turn.id);
  return wire.received.filter((m) => m.params?.turnId === result.turn.id);
}

verifies("turn.notify", async (stage) => {
  const pipe = path.join(stage.home, "notice");
  assert.equal(spawnSync("mkfifo", [pipe]).status, 0);
  const program = ["sh", "-c", 'printf %s "$1" > "$0"', pipe];
  const { wire, threadId } = await opened(stage, { config: `notify = ${JSON.stringify(program)}\n`, turns: [[{ say: "done it" }]] });
  const [messages, notice] = await Promise.all([turn(wire, threadId), readFile(pipe, "utf8")]);
  assert.deepEqual(JSON.parse(notice), {
    type: "agent-turn-complete",
    "thread-id": threadId,
    "turn-id": messages[0]?.params.turnId,
    cwd: stage.workspace,
    client: "scenario",
    "input-messages": ["go"],
    "last-assistant-message": "done it",
  });
});

verifies("turn.asAskedFor", async (stage) => {
  await using provider = new MockProvider(stream(responsesFrames({ text: "seen" })));
  const url = await provider.listen();
  const config = `[model_providers.mock]\nname = "Mock"\nbase_url = "${url}/v1"\nwire_api = "responses"\nrequest_max_retries = 0\n`;
  const { wire, threadId } = await opened(stage, { config }, { modelProvider: "mock", model: "gpt-5.5", experimentalRawEvents: true });
  const body = (): Message => provider.requests.at(-1)?.body;
  for (const [asked, sent] of [
    ["high", "high"],
    ["low", "low"],
    ["original", "high"],
    [undefined, "high"],
  ] as const) {
    await turn(wire, threadId, { input: [text("look"), { type: "image", url: dot, detail: asked }] });
    const parts: Message[] = body().input.findLast((item: Message) => item.role === "user").content;
    assert.equal(parts.find(({ type }) => type === "input_image")?.detail, sent, String(asked));
  }
  const collaborationMode = { mode: "default", settings: { model: "gpt-5.4", reasoning_effort: "low", developer_instructions: null } };
  await turn(wire, threadId, { model: "gpt-5.5", effort: "high", collaborationMode });
  assert.deepEqual([body().model, body().reasoning.effort], ["gpt-5.4", "low"]);
  const received = await turn(wire, threadId, { outputSchema: { type: "object" } });
  assert.equal(body().text.format.name, "codex_output_schema");
  const { params } = received.find(({ method }) => method === "rawResponse/completed") ?? {};
  assert.ok(params.responseId !== "" && params.usage.totalTokens > 0, JSON.stringify(params));
});

verifies("thread.injectFirst", async (stage) => {
  const { wire, threadId } = await opened(stage, {}, { experimentalRawEvents: true });
  const item = { type: "message", role: "assistant", content: [{ type: "output_text", text: "injected" }] };
  await wire.ask("thread/inject_items", { threadId, items: [item] });
  await turn(wire, threadId);
  const { result } = await wire.ask("thread/read", { threadId, includeTurns: false });
  const lines = readFileSync(result.thread.path, "utf8").trim().split("\n");
  const roles = lines.map((line) => JSON.parse(line)).flatMap(({ type, payload }) => (type === "response_item" ? [payload.role] : []));
  assert.deepEqual(roles.slice(roles.indexOf("assistant")), ["assistant", "user", "assistant"], roles.join());
  assert.ok(roles.indexOf("developer") < roles.indexOf("assistant"), "the context stands before what was injected");
});

verifies("thread.forkName", async (stage) => {
  const { wire, threadId } = await opened(stage, {});
  await turn(wire, threadId);
  await wire.ask("thread/name/set", { threadId, name: "Plums" });
  const { result } = await wire.ask("thread/fork", { threadId });
  assert.equal(result.thread.name, "Plums");
  const { result: listed } = await wire.ask("thread/list", {});
  assert.deepEqual(
    listed.data.map(({ name }: Message) => name),
    ["Plums", "Plums"],
  );
});

verifies("command.shownWithoutSecrets", async (stage) => {
  const command = "echo 'Authorization: Bearer abcdefghijklmnop123456'; true api_key=supersecretvalue";
  const { wire, threadId } = await opened(stage, {
    turns: [[{ run: command }, { say: "done" }]],
    config: 'approval_policy = "untrusted"\n',
  });
  const going = turn(wire, threadId);
  const asked = await wire.request("item/commandExecution/requestApproval");
  assert.match(asked.params.command, /abcdefghijklmnop123456/, "what is asked about is what runs");
  wire.send({ id: asked.id, result: { decision: "accept" } });
  const { item } = (await going).find((m) => m.method === "item/completed" && m.params.item.type === "commandExecution")?.params ?? {};
  assert.match(item.command, /Bearer \[REDACTED_SECRET\]'; true api_key=\[REDACTED_SECRET\]/);
  assert.doesNotMatch(JSON.stringify(item.commandActions), /abcdefghijklmnop|supersecret/);
});

verifies("command.patch", async (stage) => {
  const { wire } = await opened(stage, { config: 'sandbox_mode = "workspace-write"\n' });
  const run = async (file: string, more: Record<string, unknown> = {}) => {
    const patch = `*** Begin Patch\n*** Add File: ${file}\n+hello\n*** End Patch`;
    return (await wire.ask("command/exec", { command: ["apply_patch", patch], cwd: stage.workspace, ...more })).result;
  };
  assert.deepEqual(await run("new.txt"), { exitCode: 0, stdout: "Success. Updated the following files:\nA new.txt\n", stderr: "" });
  assert.equal(readFileSync(path.join(stage.workspace, "new.txt"), "utf8"), "hello\n");
  for (const refused of [await run(".git/config"), await run("other.txt", { sandboxPolicy: { type: "readOnly" } })]) {
    assert.deepEqual([refused.exitCode, refused.stdout], [1, ""]);
    assert.match(refused.stderr, /patch rejected/);
  }
  assert.ok(!existsSync(path.join(stage.workspace, "other.txt")));
  assert.equal((await wire.ask("command/exec", { command: ["apply_patch", "x"], cwd: stage.workspace })).result.exitCode, 1);
});

verifies("rules.broken", async (stage) => {
  mkdirSync(path.join(stage.home, "rules"));
  writeFileSync(path.join(stage.home, "rules", "own.rules"), '# one\nprefix_rule(pattern = ["a"');
  const { wire } = await opened(stage, {});
  const { params } = await wire.until((m) => m.method === "configWarning" && /rules/.test(m.params.summary));
  assert.equal(params.summary, "Error parsing rules; custom rules not applied.");
  assert.match(params.details, /^No command runs .* failed to parse rules file .*own\.rules: Parse error: .*own\.rules:2: expected/);
  assert.equal(params.path, path.join(stage.home, "rules", "own.rules"));
  assert.deepEqual(params.range, { start: { line: 2, column: 27 }, end: { line: 2, column: 27 } });
});

verifies("turn.clientMetadata", async (stage) => {
  await using provider = new MockProvider(stream(responsesFrames({ text: "seen" })));
  await using other = new MockProvider(stream(responsesFrames({ text: "seen" })));
  const table = (name: string, url: string): string =>
    `[model_providers.${name}]\nname = "${name}"\nbase_url = "${url}/v1"\nwire_api = "responses"\nrequest_max_retries = 0\n`;
  const config = table("one", await provider.listen()) + table("two", await other.listen());
  const { wire, threadId } = await opened(stage, { config }, { modelProvider: "one", model: "gpt-5.5" });
  const told = (mock: MockProvider): Message => JSON.parse(String(mock.requests.at(-1)?.headers["x-codex-turn-metadata"]));
  const ofTurn = await turn(wire, threadId, { responsesapiClientMetadata: { run: "é\r\nx-evil: 1", thread_id: "mine" } });
  const first = told(provider);
  assert.deepEqual([first.run, first.thread_id, first.request_kind], ["é\r\nx-evil: 1", threadId, "turn"]);
  assert.equal(provider.requests.at(-1)?.headers["x-evil"], undefined);
  assert.ok(!JSON.stringify(first).includes(stage.workspace), "no folder is named");
  await turn(wire, threadId);
  assert.deepEqual([told(provider).run, told(provider).installation_id], [undefined, first.installation_id]);
  const sample = { threadId, expectedTurnId: told(provider).turn_id, prompt: "Name this.", responsesapiClientMetadata: { run: "title" } };
  await wire.ask("thread/sample", sample);
  assert.equal(told(provider).run, "title");
  const { result } = await wire.ask("thread/start", { cwd: stage.workspace, modelProvider: "two", model: "gpt-5.5" });
  await turn(wire, result.thread.id);
  assert.match(told(other).installation_id, /^[0-9a-f-]{36}$/);
  assert.notEqual(told(other).installation_id, first.installation_id, "two providers cannot match their users by it");
  const many = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`k${i}`, ""]));
  for (const field of ["responsesapiClientMetadata", "responsesapiClientMetadataPatch"])
    for (const value of [many, { big: "x".repeat(5000) }]) {
      const { error } = await wire.ask("turn/start", { threadId, input: [text("go")], [field]: value });
      assert.match(error.message, new RegExp(`^${field} may have 64 entries and 4096 characters`));
    }
  assert.ok(ofTurn.every(({ method }) => method !== "warning"));
});

const noTmp = "[sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n";

verifies("thread.roots", async (stage) => {
  const other = path.join(stage.workspace, "other");
  mkdirSync(other);
  const patch = (file: string): string =>
    responsesFrames({
      calls: [{ id: file, name: "apply_patch", custom: true, args: `*** Begin Patch\n*** Add File: ${file}\n+x\n*** End Patch` }],
    }).join("");
  const answers = [patch("here.txt"), patch("other/there.txt"), responsesFrames({ text: "done" }).join("")];
  await using provider = new MockProvider(...answers.map((frames) => stream([frames])));
  const config = `[model_providers.mock]\nname = "Mock"\nbase_url = "${await provider.listen()}/v1"\nwire_api = "responses"\n${noTmp}`;
  const wanted = { modelProvider: "mock", model: "gpt-5.5", approvalPolicy: "never", sandbox: "workspace-write" };
  const { wire, threadId } = await opened(stage, { config }, { ...wanted, runtimeWorkspaceRoots: [other, other] });
  await turn(wire, threadId);
  assert.deepEqual([existsSync(path.join(stage.workspace, "here.txt")), existsSync(path.join(other, "there.txt"))], [false, true]);
  const { result } = await wire.ask("thread/resume", { threadId });
  assert.deepEqual([result.cwd, result.runtimeWorkspaceRoots, result.sandbox.writableRoots], [stage.workspace, [other], [other]]);
});

verifies("thread.historyMode", async (stage) => {
  const { wire, threadId } = await opened(stage, {}, { historyMode: "paginated" });
  await turn(wire, threadId);
  const { result } = await wire.ask("thread/fork", { threadId });
  const forked = (await wire.ask("thread/read", { threadId: result.thread.id, includeTurns: true })).result.thread;
  // Codex finds the name of such a fork only in one file.
  assert.deepEqual([forked.historyMode, forked.turns.length], ["legacy", 1]);
  const { thread } = (await wire.ask("thread/read", { threadId, includeTurns: true })).result;
  assert.deepEqual([thread.historyMode, thread.turns.length], ["paginated", 1]);
  const lines = readFileSync(thread.path, "utf8").trim().split("\n");
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).ordinal),
    lines.map((_, i) => i),
  );
  const plain = await wire.ask("thread/start", { cwd: stage.workspace });
  assert.equal(plain.result.thread.historyMode, "legacy");
});

verifies("config.legacyProfiles", async (stage) => {
  const { wire } = await opened(stage, { config: '[profiles.work]\nmodel = "x"\n' });
  const file = path.join(stage.home, "config.toml");
  const before = readFileSync(file, "utf8");
  const write = async (keyPath: string) =>
    (
      await wire.ask("config/batchWrite", {
        edits: [
          { keyPath: "model", value: "y", mergeStrategy: "replace" },
          { keyPath, value: "z", mergeStrategy: "replace" },
        ],
      })
    ).error;
  for (const [keyPath, why] of [
    ["profiles.work.model", /^`profiles` contains legacy config profile tables/],
    ['"profiles".work.model', /^`profiles` contains/],
    ["profile", /^`profile` is a legacy config selector/],
  ] as const) {
    const { message, data } = await write(keyPath);
    assert.match(message, why);
    assert.deepEqual(data, { config_write_error_code: "configValidationError" });
  }
  assert.equal(readFileSync(file, "utf8"), before);
  assert.equal(await write("profiles_of_mine"), undefined, "another key that begins like it");
});

verifies("thread.byForeignPath", async (stage) => {
  const { wire } = await opened(stage, {});
  const id = "019a0000-0000-7000-8000-00000000000a";
  const file = path.join(stage.workspace, `rollout-2025-01-05T12-00-00-${id}.jsonl`);
  const line = (type: string, payload: object): string => `${JSON.stringify({ timestamp: "2025-01-05T12:00:00Z", type, payload })}\n`;
  const origin = { id, timestamp: "2025-01-05T12:00:00Z", cwd: stage.workspace, originator: "x", cli_version: "0", source: "cli" };
  writeFileSync(file, line("session_meta", origin) + line("event_msg", { type: "user_message", message: "Saved", kind: "plain" }));
  const { thread } = (await wire.ask("thread/resume", { threadId: "any", path: file })).result;
  assert.deepEqual([thread.id, thread.path, thread.preview, thread.turns.length], [id, file, "Saved", 1]);
  await turn(wire, id);
  assert.ok(readFileSync(file, "utf8").includes('"go"'), "it goes on in that file");
  const { result: fork } = await wire.ask("thread/fork", { threadId: "any", path: file });
  assert.equal(fork.thread.turns.length, 2);
  const listed: Message[] = (await wire.ask("thread/list", {})).result.data;
  assert.ok(listed.every((each) => each.id !== id));
  const refused = async (named: string): Promise<string> =>
    (await wire.ask("thread/resume", { threadId: "any", path: named })).error.message;
  const copy = path.join(stage.home, path.basename(file));
  writeFileSync(copy, readFileSync(file));
  assert.match(await refused(copy), /already known from/);
  const missing = file.replace("00a.jsonl", "00b.jsonl");
  assert.match(await refused(missing), /file does not exist$/);
  writeFileSync(missing, line("session_meta", origin));
  assert.match(await refused(missing), /its first line is not that of this thread$/);
  assert.match(await refused(path.join(stage.home, "config.toml")), /its name is not that of a thread's file/);
  mkdirSync(file.replace("00a.jsonl", "00c.jsonl"));
  assert.match(await refused(file.replace("00a.jsonl", "00c.jsonl")), /cannot be read|first line/);
});
