/**
 * The real interfaces beside each other on one home, each with a server of its own: terminal in tmux, page in Chromium, the extension's host,
 * `exec`, a raw client. Each starts a thread; another one follows it live, steers it, answers what it asks, interrupts it.
 */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { spawnClient } from "../../../src/client/client.ts";
import type { Session } from "../../../src/sessions/sessions.ts";
import { LiveServer, verifiesLive } from "../../../test/support/live-server.ts";
import { launcher } from "../../../test/support/process.ts";
import { Terminal, whyNoTmux } from "../../../test/support/tmux.ts";
import type { Message } from "../../../test/support/wire.ts";
import { until } from "../../../test/web/page.ts";
import { Stage, send } from "../../../test/web/stage.ts";
import { Backend } from "../src/host/backend.ts";
import { Memory } from "../src/host/memory.ts";

const scenario = `
turns:
  - user: ask
    steps:
      - run: "touch asked"
      - say: "Touched it."
  - user: slow
    steps:
      - pace: 60
      - say: "A slow answer that takes its time so that somebody else can still say which colour it is to be, word after word."
  - user: long
    steps:
      - pace: 100
      - say: "${"Counting on and on. ".repeat(300)}"
  - user: /./
    steps:
      - say: "You said {{user}}."
`;
const config = 'approval_policy = "untrusted"\nsandbox_mode = "workspace-write"\n';
const skip = whyNoTmux() ?? (existsSync(process.env["PARLEY_CHROMIUM"] ?? "/usr/bin/chromium") ? false : "no Chromium on this machine");

let stage: Stage;
let page: Page;
let folder = "";
let env: Record<string, string | undefined> = {};

before(async () => {
  if (skip !== false) return;
  stage = await Stage.open(scenario, config);
  folder = path.dirname(stage.workspace);
  env = { ...process.env, CODEX_HOME: path.join(folder, "home"), HOME: folder };
  page = await stage.newPage();
});
after(async () => {
  if (skip === false) await stage.close();
});

/** The extension without its editor, over a server of its own. */
async function openEditor(onEnd: (end: () => void) => void): Promise<Backend> {
  const none = async (): Promise<string> => "";
  const editor = new Backend({
    open: (options) =>
      spawnClient({
        command: [launcher, "app-server"],
        cwd: stage.workspace,
        env,
        clientInfo: { name: "editor", version: "1" },
        ...options,
      }),
    isOwn: () => true,
    editor: { openFile: none, selection: none, diagnostics: none, renameSymbol: none },
    folder: () => stage.workspace,
    folders: () => [],
    offersTools: () => false,
    memory: new Memory(path.join(folder, "editor"), assert.fail),
    log: () => {},
    now: Date.now,
  });
  onEnd(() => editor.link.stop());
  await editor.link.start();
  return editor;
}
const summary = (editor: Backend, title: RegExp) => {
  const session = editor.sessions.all().find((one: Session) => title.test(one.thread.preview));
  return session === undefined ? undefined : editor.sessions.summary(session);
};
const message = (sessionId: string, text: string, delivery: "auto" | "steer" = "auto") => ({
  ...{ sessionId, messageId: crypto.randomUUID(), delivery, overrides: {} },
  input: [{ type: "text" as const, text }],
});

/** What the raw client lists of a thread, by its first message. */
async function listed(raw: LiveServer, preview: RegExp): Promise<Message> {
  const { data } = await raw.call("thread/list", { modelProviders: [], sourceKinds: ["cli", "vscode", "exec", "appServer", "unknown"] });
  return data.find((thread: Message) => preview.test(thread.preview));
}
async function untilListed(raw: LiveServer, preview: RegExp, fits: (status: Message) => boolean): Promise<Message> {
  let found: Message;
  await until(async () => {
    found = await listed(raw, preview);
    return found !== undefined && fits(found.status);
  }, `${preview} in the list`);
  return found;
}
const isWaiting = (status: Message): boolean => status.type === "active" && status.activeFlags.length > 0;
const said = (raw: LiveServer, threadId: string, text: RegExp): Promise<Message> =>
  raw.waitFor((m) => m.method === "item/completed" && m.params.threadId === threadId && text.test(m.params.item.text ?? ""), String(text));

if (skip !== false) test("doors", { skip }, () => {});
else
  verifiesLive("live.doors", async (t) => {
    const terminal = new Terminal(t, { folder, columns: 100, rows: 40 });
    const [raw, editor] = await Promise.all([LiveServer.start(t, folder), openEditor((end) => t.after(end)), terminal.start()]);

    // The terminal asks, and the page answers.
    terminal.say("ask from the terminal");
    await terminal.until(/touch asked/);
    const asking = await untilListed(raw, /ask from the terminal/, isWaiting);
    await page.goto(`${stage.url}/inbox`);
    const card = page.locator("[data-request]").filter({ hasText: "touch asked" });
    await card.getByRole("button", { name: /^Allow once/ }).click();
    await terminal.answered("Touched it.");
    await card.waitFor({ state: "detached" });
    assert.deepEqual((await listed(raw, /ask from the terminal/)).status, { type: "idle" });

    // The page begins, the editor sees it work, opens it and steers it; the page shows it.
    await stage.home(page);
    await send(page, "slow from the page");
    await until(() => summary(editor, /slow from the page/)?.state === "working", "the editor lists the page's session as working");
    const paged = summary(editor, /slow from the page/)?.sessionId ?? assert.fail();
    await editor.call("resume", { sessionId: paged });
    await editor.call("send", message(paged, "green", "steer"));
    await page.locator(".turn").getByText("green", { exact: true }).waitFor();

    // The editor begins; the terminal finds it at work, opens it, reads along and stops it.
    const edited = (await editor.startSession({})).id;
    await editor.call("send", message(edited, "long from the editor"));
    await until(() => editor.sessions.find(edited)?.activeTurnId !== null, "the editor's turn");
    terminal.say("/resume");
    await terminal.until(/long from the editor +working/);
    terminal.type("from the editor");
    await terminal.until("› from the editor");
    terminal.keys("Enter");
    await terminal.until(/Counting on and on/);
    terminal.keys("Escape");
    await until(() => editor.sessions.find(edited)?.lastTurnStatus === "interrupted", "the editor's turn was interrupted by the terminal");

    // A script begins; the raw client follows it, and the page stops it.
    const script = spawn(launcher, ["exec", "--skip-git-repo-check", "long from a script"], { env, cwd: stage.workspace, stdio: "ignore" });
    const scriptEnded = ended(script);
    const scripted = await untilListed(raw, /long from a script/, ({ type }) => type === "active");
    await raw.call("thread/resume", { threadId: scripted.id });
    await raw.waitFor((m) => m.method === "item/agentMessage/delta" && m.params.threadId === scripted.id, "the script's text");
    await page.goto(`${stage.url}/s/${scripted.id}`);
    await page.getByText("Counting on and on").first().waitFor();
    await page.getByRole("button", { name: "Stop the turn" }).click();
    await raw.waitFor((m) => m.method === "turn/completed" && m.params.threadId === scripted.id, "the end of the script's turn");
    await scriptEnded;

    // The raw client begins and asks; the editor sees that it waits, opens it and answers. A script goes on with it, and the terminal's thread too.
    const plain = await raw.startThread({ cwd: stage.workspace });
    const turnId = await raw.startTurn(plain, "ask from a raw client");
    await until(() => summary(editor, /ask from a raw client/)?.state === "waiting", "the editor lists it as waiting");
    await editor.call("resume", { sessionId: plain });
    await until(() => editor.requests.list().some(({ threadId }) => threadId === plain), "the question in the editor");
    const [question] = editor.requests.list().filter(({ threadId }) => threadId === plain);
    await editor.call("answer", { ...(question ?? assert.fail()), answer: { response: { decision: "accept" } } });
    assert.equal((await raw.turnEnd(turnId)).status, "completed");
    const resumed = ["exec", "--skip-git-repo-check", "resume", plain, "hello"];
    assert.match((await promisify(execFile)(launcher, resumed, { env, cwd: stage.workspace })).stdout, /You said hello/);
    await said(raw, plain, /You said hello/);
    // What the terminal had begun is open nowhere now: whoever comes goes on with it.
    await raw.call("thread/resume", { threadId: asking.id });
    assert.equal((await raw.turn(asking.id, "and on")).status, "completed");
  });

const ended = (child: ChildProcess): Promise<void> => new Promise((resolve) => child.once("exit", () => resolve()));
