import assert from "node:assert/strict";
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { connectSocket, Frames, isOwnSocket, type Message } from "./codex-frames.ts";
import { linkCodex } from "./codex-link.ts";
import { CodexProvider } from "./codex-provider.ts";
import { CodexRouter } from "./codex-router.ts";
import type { LookedAt } from "./looked-at.ts";

const skip = process.platform === "win32" ? "no such sockets here" : false;
const quiet = { looking: () => {}, decided: () => {}, ended: () => {} };
const seen: LookedAt = { file: "/w/p/src/a.ts", selection: { firstLine: 2, lastLine: 3, text: "two\nthree\n" }, problems: ["x"] };

function home(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), "cdx-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
const socketIn = (codexHome: string): string => path.join(codexHome, "ipc", "ipc.sock");

async function provider(t: TestContext, codexHome: string, folder: string, looking: LookedAt | undefined = seen): Promise<CodexProvider> {
  const own = new CodexProvider(codexHome, { folders: () => [folder], looking: () => looking });
  t.after(() => own.close());
  await own.start();
  return own;
}

/** A program that speaks the wire by hand. */
async function client(t: TestContext, codexHome: string, clientType: string) {
  const got: Message[] = [];
  let wake = (): void => {};
  const frames: Frames = new Frames(
    await connectSocket(socketIn(codexHome)),
    (message) => {
      got.push(message);
      wake();
    },
    () => {},
  );
  t.after(() => frames.close());
  const next = async (fits: (message: Message) => boolean): Promise<Message> => {
    for (;;) {
      const found = got.find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  const ask = (requestId: string, method: string, params: object, more: object = {}): Promise<Message> => {
    frames.send({ type: "request", requestId, sourceClientId: "x", version: 0, method, params, ...more });
    return next((message) => message["type"] === "response" && message["requestId"] === requestId);
  };
  const { result } = await ask("init", "initialize", { clientType });
  const { clientId } = result as { clientId: string };
  return { frames, next, ask, clientId };
}

test("Codex's terminal learns what is open in this editor, in its own form", { skip }, async (t) => {
  const codexHome = home(t);
  await provider(t, codexHome, "/w/p");
  assert.deepEqual([lstatSync(path.dirname(socketIn(codexHome))).mode & 0o077, lstatSync(socketIn(codexHome)).mode & 0o077], [0, 0]);
  const { ask } = await client(t, codexHome, "desktop");
  const answer = await ask("r1", "ide-context", { workspaceRoot: "/w/p" });
  assert.deepEqual(answer, {
    type: "response",
    requestId: "r1",
    method: "ide-context",
    resultType: "success",
    handledByClientId: "parley-router",
    result: {
      ideContext: {
        activeFile: {
          ...{ label: "a.ts", path: "src/a.ts", fsPath: "/w/p/src/a.ts" },
          selection: { start: { line: 1, character: 0 }, end: { line: 3, character: 0 } },
          activeSelectionContent: "two\nthree\n",
        },
        openTabs: [{ label: "a.ts", path: "src/a.ts", fsPath: "/w/p/src/a.ts" }],
      },
    },
  });
  assert.deepEqual((await ask("r2", "ide-context", { workspaceRoot: "/elsewhere" }))["error"], "no-client-found");
  assert.deepEqual((await ask("r3", "ide-context", { workspaceRoot: "/w/p" }, { version: 7 }))["error"], "no-client-found");
  assert.deepEqual((await ask("r4", "thread-follower-start-turn", {}))["error"], "no-client-found");
});

test("a second window answers behind the first, and takes its place when that has closed", { skip }, async (t) => {
  const codexHome = home(t);
  const first = await provider(t, codexHome, "/w/one");
  await provider(t, codexHome, "/w/p");
  const link = await linkCodex(codexHome, "/w/p", quiet);
  assert.deepEqual(await link?.latest(), { ...seen, problems: [] });
  link?.close();
  assert.equal(await linkCodex(codexHome, "/elsewhere", quiet), undefined);
  first.close();
  let again = await linkCodex(codexHome, "/w/p", quiet);
  for (const end = performance.now() + 20_000; again === undefined && performance.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, 25)); // the other window waits a while before it takes over
    again = await linkCodex(codexHome, "/w/p", quiet);
  }
  assert.deepEqual(await again?.latest(), { ...seen, problems: [] });
  again?.close();
});

test("other programs find each other: requests, answers and broadcasts are passed on, and nobody can answer for another", {
  skip,
}, async (t) => {
  const codexHome = home(t);
  await provider(t, codexHome, "/w/p");
  const owner = await client(t, codexHome, "vscode");
  const asking = await client(t, codexHome, "desktop");
  const other = await client(t, codexHome, "other");
  const answer = asking.ask("r1", "thread-follower-start-turn", { conversationId: "c" }, { version: 1 });
  const isQuestion = (message: Message): boolean => message["type"] === "client-discovery-request";
  for (const [who, canHandle] of [
    [owner, true],
    [other, false],
  ] as const) {
    const question = await who.next(isQuestion);
    assert.equal((question["request"] as Message)["version"], 1);
    who.frames.send({ type: "client-discovery-response", requestId: question["requestId"], response: { canHandle } });
  }
  const passed = await owner.next((message) => message["type"] === "request");
  assert.deepEqual([passed["sourceClientId"], passed["params"]], [asking.clientId, { conversationId: "c" }]);
  other.frames.send({ type: "response", requestId: passed["requestId"], resultType: "success", result: "forged" });
  await other.ask("sync", "nothing", {}, { targetClientId: "nobody" });
  owner.frames.send({ type: "response", requestId: passed["requestId"], resultType: "success", result: "right" });
  assert.deepEqual([(await answer)["result"], (await answer)["handledByClientId"]], ["right", owner.clientId]);
  owner.frames.send({
    type: "broadcast",
    method: "news",
    version: 1,
    params: 1,
    sourceClientId: "forged",
    targetClientIds: [asking.clientId],
  });
  assert.equal((await asking.next((message) => message["method"] === "news"))["sourceClientId"], owner.clientId);
});

test("a socket in a folder that others may write to is neither asked nor served", { skip }, async (t) => {
  const codexHome = home(t);
  mkdirSync(path.dirname(socketIn(codexHome)), { mode: 0o700 });
  const router = new CodexRouter(socketIn(codexHome), () => ({ result: {} }));
  await router.start();
  t.after(() => router.close());
  assert.equal(isOwnSocket(socketIn(codexHome)), true);
  chmodSync(path.dirname(socketIn(codexHome)), 0o777);
  assert.equal(isOwnSocket(socketIn(codexHome)), false);
  await assert.rejects(new CodexRouter(socketIn(codexHome), () => undefined).start(), /is not private/);
});

test("what is no frame ends that connection alone", { skip }, async (t) => {
  const codexHome = home(t);
  await provider(t, codexHome, "/w/p");
  for (const bytes of [
    Buffer.from("GET / HTTP/1.1\r\n\r\n"),
    Buffer.from([2, 0, 0, 0, 0x5b, 0x5d]),
    Buffer.from([0xff, 0xff, 0xff, 0xff]),
  ]) {
    const socket = await connectSocket(socketIn(codexHome));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => {});
    socket.resume();
    socket.write(bytes);
    await closed;
  }
  const { ask } = await client(t, codexHome, "desktop");
  assert.equal((await ask("r", "ide-context", { workspaceRoot: "/w/p" }))["resultType"], "success");
});
