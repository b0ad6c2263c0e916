import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { openClient } from "../../../../src/client/client.ts";
import type { Transport } from "../../../../src/rpc/transport.ts";
import { type PluginFacts, pluginGroups, pluginState } from "../../../../src/sessions/plugins.ts";
import { market, plainPlugin, under } from "../../../../test/scenarios/plugin/stage.ts";
import { chatFrames } from "../../../../test/support/model-mocks/frames.ts";
import { MockProvider, stream } from "../../../../test/support/model-mocks/server.ts";
import { type Server, startServer } from "../../../../test/support/server.ts";
import type { Capabilities, HookFolders, Provider, Skills } from "../../../web/src/connection/connection.ts";
import type { Goal, Occurrence, Page as PageOf, SearchHit, Section, UsageTable } from "../../../web/src/connection/more-calls.ts";
import type { PendingRequest } from "../../../web/src/state/model.ts";
import { Backend } from "./backend.ts";
import { editorControls } from "./controls.ts";
import { Memory } from "./memory.ts";
import type { EditorTools } from "./tools.ts";

const editor: EditorTools = {
  openFile: async ({ path: file }) => `opened ${file}`,
  selection: async () => "nothing selected",
  diagnostics: async () => "no problems",
  renameSymbol: async () => "renamed",
};

const scripted =
  'model_provider = "scripted"\nmodel_providers.scripted.options.scenario = "play.yaml"\nfeatures.default_mode_request_user_input = true\n';

/** A real server in this process with a scripted model, and backends on it. */
async function stage(t: TestContext, scenario: string, config = scripted) {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-vscode-"));
  const project = path.join(folder, "project");
  mkdirSync(project);
  writeFileSync(path.join(folder, "play.yaml"), scenario);
  writeFileSync(path.join(folder, "config.toml"), config);
  const start = (): Promise<Server> => startServer({ home: folder, workspace: project, systemDir: path.join(folder, "etc") });
  let server = await start();
  const wires: Transport[] = [];
  const backends: Backend[] = [];
  t.after(async () => {
    for (const backend of backends) backend.link.stop();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const backend = (name: string): Backend => {
    const made = new Backend({
      open: async (options) => {
        const wire = await server.connect();
        wires.push(wire);
        return openClient(wire, { clientInfo: { name, version: "1" }, ...options });
      },
      isOwn: () => true,
      editor,
      folder: () => project,
      folders: () => [project],
      offersTools: () => true,
      memory: new Memory(path.join(folder, name), assert.fail),
      log: () => {},
      now: Date.now,
    });
    backends.push(made);
    return made;
  };
  const crash = async (): Promise<void> => {
    await server.stop();
    server = await start();
    for (const wire of wires.splice(0)) wire.close();
  };
  return { backend, crash, project, home: folder };
}

const pending = (backend: Backend): Promise<PendingRequest> =>
  new Promise((resolve) => {
    const [open] = backend.requests.list();
    if (open !== undefined) return resolve(open);
    const stop = backend.listen({
      added(request) {
        stop();
        resolve(request);
      },
    });
  });
const until = (backend: Backend, holds: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    if (holds()) return resolve();
    const stop = backend.listen({
      event() {
        if (!holds()) return;
        stop();
        resolve();
      },
    });
  });
const idle = (backend: Backend, id: string): Promise<void> =>
  until(backend, () => backend.sessions.find(id)?.lastTurnStatus !== null && backend.sessions.find(id)?.activeTurnId === null);

async function begin(backend: Backend, text: string): Promise<string> {
  await backend.link.start();
  const session = await backend.startSession({ approvalPolicy: "untrusted", filesystemSandbox: "workspace-write" });
  await send(backend, session.id, text);
  return session.id;
}
const send = (backend: Backend, sessionId: string, text: string, messageId: string = crypto.randomUUID()): Promise<unknown> =>
  backend.call("send", { sessionId, messageId, input: [{ type: "text", text }], delivery: "auto", overrides: {} });

type Page = Awaited<ReturnType<Backend["sessions"]["page"]>>;
const page = async (backend: Backend, sessionId: string): Promise<Page> =>
  (await backend.call("turns", { sessionId, cursor: null })) as Page;
const itemsText = ({ turns }: Page): string => JSON.stringify(turns.flatMap((turn) => turn.items));

const asksOnce = `
turns:
  - - run: "touch made.txt"
    - say: "It said: {{output}}"
  - - say: "Second turn"
`;

const writesTwice = `
turns:
  - - patch: "*** Begin Patch\\n*** Add File: made.txt\\n+one\\n*** End Patch"
    - say: First.
  - - patch: "*** Begin Patch\\n*** Update File: made.txt\\n@@\\n-one\\n+two\\n*** End Patch"
    - say: Second.
`;

const heldReview = `
turns:
  - - run: "while [ ! -f go ]; do sleep 0.05; done"
    - say: '{"findings":[],"overall_correctness":"patch is correct","overall_explanation":"fine","overall_confidence_score":1}'
  - - say: After the review.
`;

test("a command is asked about, approved once, and runs", async (t) => {
  const { backend } = await stage(t, asksOnce);
  const one = backend("editor");
  const id = await begin(one, "go");
  const request = await pending(one);
  assert.equal(request.kind, "command");
  assert.equal(request.threadId, id);
  assert.equal((await page(one, id)).session.state, "waiting");
  await one.call("answer", { ...request, answer: { response: { decision: "accept" } } });
  await assert.rejects(one.call("answer", { ...request, answer: { response: { decision: "decline" } } }), { status: 404 });
  await idle(one, id);
  const all = itemsText(await page(one, id));
  assert.match(all, /"exitCode":0/);
  assert.match(all, /It said/);
});

test("a face that throws keeps neither the others nor the server from going on", async (t) => {
  const { backend } = await stage(t, asksOnce);
  const one = backend("editor");
  const thrown = new Set<string>();
  const boom = (what: string) => (): never => {
    thrown.add(what);
    throw new Error(`the ${what} broke`);
  };
  one.listen({ event: boom("event"), state: boom("state"), added: boom("added"), ended: boom("ended"), session: boom("session") });
  const received: string[] = [];
  one.listen({ state: ({ kind }) => received.push(kind), added: () => received.push("added"), ended: () => received.push("ended") });
  const id = await begin(one, "go");
  await one.call("answer", { ...(await pending(one)), answer: { response: { decision: "accept" } } });
  await idle(one, id);
  assert.match(itemsText(await page(one, id)), /It said/);
  assert.deepEqual([...thrown].sort(), ["added", "ended", "event", "session", "state"]);
  assert.ok(received.includes("running") && received.includes("added") && received.includes("ended"), received.join());
});

test("what another client answers ends here and names it", async (t) => {
  const { backend } = await stage(t, asksOnce);
  const [one, two] = [backend("first"), backend("second")];
  const id = await begin(one, "go");
  const mine = await pending(one);
  await two.link.start();
  const theirs = await pending(two);
  assert.notEqual(theirs.requestId, mine.requestId);
  const ended = new Promise<string>((resolve) => one.listen({ ended: (_, ending) => resolve(ending.by.name) }));
  await two.call("answer", { ...theirs, answer: { response: { decision: "decline" } } });
  assert.equal(await ended, "second");
  await assert.rejects(one.call("answer", { ...mine, answer: { response: { decision: "accept" } } }), /Answered by second/);
  await idle(one, id);
});

test("a thread that waits in another process is in the list, and is answered once it is opened", async (t) => {
  const { backend, project, home } = await stage(t, asksOnce);
  const editorSide = backend("editor");
  await editorSide.link.start();
  const other = await startServer({ home, workspace: project, systemDir: path.join(home, "etc") });
  t.after(() => other.stop());
  const leftOpen = { onRequest: () => {} };
  const terminal = await openClient(await other.connect(), { clientInfo: { name: "terminal", version: "1" }, ...leftOpen });
  const { thread } = await terminal.call("thread/start", { cwd: project, approvalPolicy: "untrusted" });
  const ended = new Promise<string>((resolve) => terminal.on("turn/completed", ({ turn }) => resolve(turn.status)));
  await terminal.call("turn/start", { threadId: thread.id, input: [{ type: "text", text: "go" }] });
  await until(editorSide, () => {
    const session = editorSide.sessions.find(thread.id);
    return session !== undefined && editorSide.sessions.summary(session).state === "waiting";
  });
  assert.deepEqual(editorSide.requests.list(), []);
  await editorSide.call("resume", { sessionId: thread.id });
  await editorSide.call("answer", { ...(await pending(editorSide)), answer: { response: { decision: "decline" } } });
  assert.equal(await ended, "completed");
});

test("a window that is reloaded in the middle of a turn comes back to it with what waits", async (t) => {
  const { backend } = await stage(t, asksOnce);
  const before = backend("editor");
  const id = await begin(before, "go");
  await pending(before);
  before.link.stop();
  const after = backend("editor");
  await after.link.start();
  const request = await pending(after);
  const shown = await page(after, id);
  assert.equal(shown.turns[0]?.status, "inProgress");
  assert.match(itemsText(shown), /touch made.txt/);
  await after.call("answer", { ...request, answer: { response: { decision: "accept" } } });
  await idle(after, id);
  assert.match(itemsText(await page(after, id)), /It said/);
});

test("after a crash the server is opened again and its threads are resumed", async (t) => {
  const { backend, crash } = await stage(t, asksOnce);
  const one = backend("editor");
  const id = await begin(one, "go");
  const request = await pending(one);
  await one.call("answer", { ...request, answer: { response: { decision: "decline" } } });
  await idle(one, id);
  const states: string[] = [];
  const back = new Promise<void>((resolve) =>
    one.listen({
      state(state) {
        states.push(state.kind);
        if (state.kind === "running") resolve();
      },
    }),
  );
  await crash();
  await back;
  assert.deepEqual(states, ["lost", "starting", "running"]);
  assert.deepEqual(one.sessions.attached(), [id]);
  await send(one, id, "again");
  await until(one, () => one.sessions.find(id)?.view.turns.some((turn) => turn.status === "completed") === true);
  assert.match(itemsText(await page(one, id)), /Second turn/);
});

test("a message whose acceptance was lost is not sent twice", async (t) => {
  const { backend } = await stage(t, 'turns: [[{say: "One"}], [{say: "Two"}]]');
  const one = backend("editor");
  await one.link.start();
  const { id } = await one.startSession({});
  assert.deepEqual(await Promise.all([send(one, id, "hi", "m1"), send(one, id, "hi", "m1")]), ["started", "started"]);
  await idle(one, id);
  assert.equal((await page(one, id)).turns.length, 1);
});

test("after a restart of the editor a message that was taken is not sent again, and what was chosen holds", async (t) => {
  const { backend } = await stage(t, 'turns: [[{say: "One"}], [{say: "Two"}]]');
  const before = backend("editor");
  await before.link.start();
  const { id } = await before.startSession({ approvalPolicy: "never", filesystemSandbox: "workspace-write" });
  await send(before, id, "hi", "m1");
  await idle(before, id);
  before.link.stop();
  const after = backend("editor");
  await after.link.start();
  assert.equal(await send(after, id, "hi", "m1"), "started");
  const shown = await page(after, id);
  assert.equal(shown.turns.length, 1);
  assert.equal(shown.session.sessionControls?.approvalPolicy, "never");
  assert.equal(shown.session.sessionControls?.filesystemSandbox, "workspace-write");
});

test("a session that plans first may ask, and is still planning after a restart of the editor", async (t) => {
  const { backend } = await stage(t, 'turns: [[{ask: "Which way?", options: [Left, Right]}, {say: "Thank you"}]]');
  const before = backend("editor");
  await before.link.start();
  const { sessionId } = (await before.call("start", { mode: "plan" })) as { sessionId: string };
  const controls = (await page(before, sessionId)).session.sessionControls;
  assert.equal(controls?.mode, "plan");
  await send(before, sessionId, "think first");
  assert.equal((await pending(before)).kind, "question");
  before.link.stop();
  const after = backend("editor");
  await after.link.start();
  assert.equal((await page(after, sessionId)).session.sessionControls?.mode, "plan");
  await after.call("setControls", { sessionId, controls: { ...editorControls, mode: "default" } });
  assert.equal((await page(after, sessionId)).session.sessionControls?.mode, "default");
});

test("a message can wait for the turn, and be taken back", async (t) => {
  const { backend } = await stage(t, asksOnce);
  const one = backend("editor");
  const id = await begin(one, "go");
  const request = await pending(one);
  const queue = (messageId: string): Promise<unknown> =>
    one.call("send", { sessionId: id, messageId, input: [{ type: "text", text: messageId }], delivery: "queue", overrides: {} });
  assert.equal(await queue("kept"), "queued");
  assert.equal(await queue("dropped"), "queued");
  await one.call("unqueue", { sessionId: id, messageId: "dropped" });
  await one.call("answer", { ...request, answer: { response: { decision: "decline" } } });
  await until(one, () => one.sessions.find(id)?.view.turns.filter((turn) => turn.status === "completed").length === 2);
  const all = itemsText(await page(one, id));
  assert.match(all, /Second turn/);
  assert.doesNotMatch(all, /dropped/);
});

test("a message sent while a review runs waits for its end", async (t) => {
  const { backend, project } = await stage(t, heldReview);
  const one = backend("editor");
  await one.link.start();
  const { id } = await one.startSession({ approvalPolicy: "never", filesystemSandbox: "workspace-write" });
  await one.call("review", { sessionId: id, target: { targetType: "uncommittedChanges" } });
  await until(one, () => one.sessions.find(id)?.activeTurnId !== null);
  assert.equal(await send(one, id, "and then?"), "queued");
  writeFileSync(path.join(project, "go"), "");
  await until(one, () => one.sessions.find(id)?.view.turns.filter((turn) => turn.status === "completed").length === 2);
  assert.match(itemsText(await page(one, id)), /After the review/);
});

test("the editor's tools answer without a person", async (t) => {
  const { backend } = await stage(t, 'turns: [[{call: editor_open_file, with: {path: "a.ts"}}, {say: "Tool: {{output}}"}]]');
  const one = backend("editor");
  const id = await begin(one, "go");
  await idle(one, id);
  assert.match(itemsText(await page(one, id)), /opened a.ts/);
});

test("sessions are listed, renamed, forked, archived and deleted", async (t) => {
  const { backend } = await stage(t, 'turns: [[{say: "Hello"}]]');
  const one = backend("editor");
  const id = await begin(one, "first words");
  await idle(one, id);
  const list = async (archived = false) => (await one.sessions.list({ archived })).sessions.map((s) => s.title).sort();
  assert.deepEqual(await list(), ["first words"]);
  await one.call("rename", { sessionId: id, title: "A name" });
  assert.deepEqual(await list(), ["A name"]);
  await one.call("fork", { sessionId: id });
  assert.equal((await list()).length, 2);
  await one.call("archive", { sessionId: id, archived: true });
  assert.deepEqual(await list(true), ["A name"]);
  await one.call("archive", { sessionId: id, archived: false });
  await one.call("remove", { sessionId: id });
  assert.equal((await list()).length, 1);
  await assert.rejects(one.call("turns", { sessionId: id, cursor: null }), { status: 404 });
});

test("hooks and plugins are seen, trusted and switched off through the panel's calls", async (t) => {
  const { backend, home, project } = await stage(t, asksOnce);
  writeFileSync(path.join(home, "hooks.json"), JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] } }));
  market(path.join(home, "mk"), [{ name: "demo", source: "./demo" }], under("demo", plainPlugin()));
  const it = backend("one");
  await it.link.start();
  const hooks = async () => ((await it.call("hooks", {})) as HookFolders).flatMap((folder) => folder.hooks);
  const [hook] = await hooks();
  assert.equal(hook?.trustStatus, "untrusted");
  await it.call("setHook", { key: hook?.key ?? "", word: { trustedHash: hook?.currentHash ?? "" } });
  assert.equal((await hooks())[0]?.trustStatus, "trusted");
  await it.call("setHook", { key: hook?.key ?? "", word: { enabled: false } });
  assert.equal((await hooks())[0]?.enabled, false);

  const rows = async () => pluginGroups((await it.call("plugins", {})) as PluginFacts).flatMap((group) => group.rows.map(pluginState));
  assert.deepEqual(await rows(), []);
  await it.call("addMarketplace", { source: path.join(home, "mk"), refName: null });
  assert.deepEqual(await rows(), ["not installed"]);
  await it.call("installPlugin", { pluginId: "demo@mk" });
  assert.deepEqual(await rows(), ["in use"]);
  const skills = async () => ((await it.call("skills", { cwd: project })) as Skills).map(({ name }) => name);
  assert.ok((await skills()).includes("demo:greet"));
  await it.call("setPlugin", { pluginId: "demo@mk", enabled: false });
  assert.deepEqual([await rows(), (await skills()).includes("demo:greet")], [["switched off"], false]);
  await it.call("setPlugin", { pluginId: "demo@mk", enabled: true });
  writeFileSync(path.join(home, "plugins/cache/mk/demo/1.2.0/late.sh"), "x");
  assert.deepEqual(await rows(), ["changed since you accepted it: not used"]);
  await assert.rejects(it.call("acceptPlugin", { pluginId: "demo@mk", content: "sha256:0" }), /has changed since you looked at it/);
  const [trust] = ((await it.call("plugins", {})) as PluginFacts).trust ?? [];
  await it.call("acceptPlugin", { pluginId: "demo@mk", content: trust?.content ?? "" });
  assert.deepEqual(await rows(), ["in use"]);
  await assert.rejects(it.call("readPlugin", { pluginId: "none@mk" }), /No marketplace offers this plugin/);
  await it.call("uninstallPlugin", { pluginId: "demo@mk" });
  assert.deepEqual(await rows(), ["not installed"]);
});

test("the panel is notified that no model is set up, and sets one up", async (t) => {
  await using mock = new MockProvider(stream(chatFrames({ text: "At your service" })));
  const table = `[model_providers.house]\nname = "House"\nbase_url = "${await mock.listen()}/v1"\nwire_api = "chat"\nenv_key = "HOUSE_KEY"\n`;
  const { backend } = await stage(t, asksOnce, table);
  const it = backend("parley_vscode");
  await it.link.start();
  const hasNoModel = async () => ((await it.call("capabilities", {})) as Capabilities).runtime.offlineTour;
  assert.equal(await hasNoModel(), true);
  const done = await it.call("setUpModel", { apiKey: "house-key", check: true, provider: "house", model: "big" });
  assert.deepEqual([done, await hasNoModel()], [{ checked: true, model: "big" }, false]);
  const providers = (await it.call("providers", {})) as Provider[];
  assert.deepEqual(providers.find(({ isCurrent }) => isCurrent)?.id, "house");
  const id = await begin(it, "hello");
  await idle(it, id);
  assert.match(itemsText(await page(it, id)), /At your service/);
});

test("going back puts files back too, unless somebody else has changed them since", async (t) => {
  const { backend, project } = await stage(t, writesTwice);
  const it = backend("one");
  await it.link.start();
  const { id } = await it.startSession({ approvalPolicy: "never", filesystemSandbox: "workspace-write" });
  const file = path.join(project, "made.txt");
  const turns = async () => (await page(it, id)).turns.length;
  const write = async (count: number): Promise<void> => {
    await send(it, id, "write");
    await until(it, () => it.sessions.find(id)?.view.turns.length === count && it.sessions.find(id)?.activeTurnId === null);
  };
  await write(1);
  await write(2);
  assert.equal(readFileSync(file, "utf8"), "two\n");
  await it.call("rollback", { sessionId: id, numTurns: 1, files: "restore" });
  assert.deepEqual([readFileSync(file, "utf8"), await turns()], ["one\n", 1]);
  writeFileSync(file, "mine\n");
  await assert.rejects(
    it.call("rollback", { sessionId: id, numTurns: 1, files: "restore" }),
    /Changed by somebody else since: .*made\.txt/,
  );
  assert.deepEqual([readFileSync(file, "utf8"), await turns()], ["mine\n", 1], "nothing was touched");
  await it.call("rollback", { sessionId: id, numTurns: 1, files: "force" });
  assert.deepEqual([existsSync(file), await turns()], [false, 0]);
});

test("the panel arranges, finds, reads and counts as the page does", async (t) => {
  const { backend } = await stage(t, "loop: true\nturns:\n  - - say: The lighthouse is lit.\n");
  const it = backend("one");
  await it.link.start();
  const id = await begin(it, "hello");
  await idle(it, id);
  const summary = () => it.sessions.summary(it.sessions.find(id) ?? assert.fail("a session"));
  assert.equal(summary().unread, true);
  await it.call("markRead", { sessionId: id, read: true });
  assert.equal(summary().unread, false);
  const [pinned] = (await it.call("sections", {})) as Section[];
  const moved = (await it.call("moveSession", { sessionId: id, sectionId: pinned?.sectionId ?? "", before: null })) as Section[];
  assert.deepEqual([moved[0]?.sessionIds, summary().sectionId], [[id], pinned?.sectionId]);
  const found = (await it.call("searchAll", { query: "LIGHTHOUSE", archived: false, cursor: null })) as PageOf<SearchHit>;
  assert.deepEqual(
    found.data.map(({ session }) => session.sessionId),
    [id],
  );
  const places = (await it.call("searchSession", { sessionId: id, query: "lighthouse", cursor: null })) as PageOf<Occurrence>;
  assert.equal(places.data.length, 1);
  const goal = (await it.call("changeGoal", { sessionId: id, objective: "keep it lit", status: "paused", tokenBudget: 900 })) as Goal;
  assert.deepEqual([goal.status, goal.tokenBudget], ["paused", 900]);
  await it.call("clearGoal", { sessionId: id });
  assert.equal(await it.call("readGoal", { sessionId: id }), null);
  assert.equal(((await it.call("usage", { days: 2 })) as UsageTable).rows.length, 1);
  const done = (await it.call("archiveMany", { sessionIds: [id, "none"] })) as { archived: string[]; failed: unknown[] };
  assert.deepEqual([done.archived, done.failed.length], [[id], 1]);
});
