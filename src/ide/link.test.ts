import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { connectPrivately } from "../rpc/private-socket.ts";
import { type LinkEvents, linkWindow } from "./link.ts";
import type { LookedAt } from "./looked-at.ts";
import { type WindowPorts, WindowServer } from "./window-server.ts";
import { type EditorWindow, registeredWindows, windowsFolder, windowsFor } from "./windows.ts";

const skip = process.platform === "win32" ? "no private sockets here" : false;

function home(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), "ide-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A window whose editor only notes what it is asked to do. */
async function window(t: TestContext, codexHome: string, given: Partial<WindowPorts> = {}) {
  const done: unknown[] = [];
  const ports: WindowPorts = {
    app: "Editor",
    folders: () => ["/w/project"],
    looking: () => undefined,
    async open(file, line) {
      done.push(["open", file, line]);
    },
    async showChange(key, { changes }, decide) {
      done.push(["show", changes.length]);
      decide("accept");
      done.push(key);
    },
    closeChange: (key) => done.push(["close", key]),
    log: () => {},
    ...given,
  };
  const server = new WindowServer(codexHome, ports);
  t.after(() => server.close());
  await server.start();
  return { server, done };
}

/** What a terminal gets, and a way to wait for it. */
function events() {
  const got: unknown[] = [];
  let wake = (): void => {};
  const add = (value: unknown): void => {
    got.push(value);
    wake();
  };
  const of: LinkEvents = {
    looking: (seen) => add(seen),
    decided: (id, decision) => add([id, decision]),
    ended: () => add("ended"),
  };
  const until = async (count: number): Promise<unknown[]> => {
    while (got.length < count) await new Promise<void>((resolve) => (wake = resolve));
    return got;
  };
  return { of, until };
}

const only = (windows: readonly EditorWindow[]): EditorWindow => {
  assert.equal(windows.length, 1);
  const [found] = windows;
  assert.ok(found);
  return found;
};

test("a terminal finds a window, learns what is open there, and opens files", { skip }, async (t) => {
  const codexHome = home(t);
  let seen: LookedAt | undefined = { file: "/w/project/a.ts", selection: undefined, problems: ["line 1, error: x"] };
  const { server, done } = await window(t, codexHome, { looking: () => seen });
  const folder = windowsFolder(codexHome);
  assert.deepEqual(
    [folder, ...readdirSync(folder).map((name) => path.join(folder, name))].map((file) => statSync(file).mode & 0o077),
    [0, 0, 0],
    "nobody else may read the folder, the token or the socket",
  );
  const { of, until } = events();
  const link = await linkWindow(codexHome, only(registeredWindows(codexHome)), "/w/project", of);
  assert.deepEqual(await until(1), [seen]);
  seen = { file: "/w/project/b.ts", selection: { firstLine: 1, lastLine: 1, text: "x".repeat(100_000) }, problems: Array(99).fill("p") };
  server.lookingChanged();
  await until(2);
  const latest = await link.latest();
  assert.ok((latest?.selection?.text.length ?? 0) < 20_100, "a selection is cut");
  assert.equal(latest?.problems.length, 20);
  await link.open?.("/w/project/c.ts", 7);
  assert.deepEqual(done, [["open", "/w/project/c.ts", 7]]);
  await link.showChange?.({ id: 5, cwd: "/w/project", changes: [{ path: "a", kind: { type: "add" }, diff: "" }] });
  assert.deepEqual((await until(3)).at(-1), [5, "accept"], "what is decided in the editor reaches the terminal");
  const [, , key] = done;
  link.closeChange?.(5);
  await link.open?.("after", undefined); // lines are read in order
  assert.deepEqual(done.at(-2), ["close", key]);
  seen = undefined;
  server.lookingChanged();
  assert.deepEqual((await until(4)).at(-1), undefined);
  server.close();
  assert.equal((await until(5)).at(-1), "ended");
  assert.deepEqual(readdirSync(folder), [], "a closed window leaves nothing behind");
  await assert.rejects(async () => link.open?.("x", undefined), /Editor has closed/);
});

test("what the editor cannot do is said in words", { skip }, async (t) => {
  const codexHome = home(t);
  await window(t, codexHome, { open: () => Promise.reject(new Error("there is no file /nowhere")) });
  const link = await linkWindow(codexHome, only(registeredWindows(codexHome)), "/", events().of);
  await assert.rejects(async () => link.open?.("/nowhere", undefined), /^Error: there is no file \/nowhere$/);
  link.close();
});

test("without the token a window says nothing and does nothing", { skip }, async (t) => {
  const codexHome = home(t);
  const { done } = await window(t, codexHome);
  const known = only(registeredWindows(codexHome));
  await assert.rejects(linkWindow(codexHome, { ...known, token: "guessed" }, "/", events().of), /does not speak/);
  for (const line of ['{"type":"open","id":1,"file":"/etc/passwd"}', "GET / HTTP/1.1", "x".repeat(20_000)]) {
    const transport = await connectPrivately(windowsFolder(codexHome), known.socket);
    const heard: string[] = [];
    transport.onMessage = (text) => heard.push(text);
    const closed = new Promise<void>((resolve) => {
      transport.onClose = () => resolve();
    });
    transport.send(line);
    await closed;
    assert.deepEqual(heard, []);
  }
  assert.deepEqual(done, []);
});

test("a terminal that sends nonsense after its greeting is cut off, and the window lives", { skip }, async (t) => {
  const codexHome = home(t);
  await window(t, codexHome);
  const known = only(registeredWindows(codexHome));
  const transport = await connectPrivately(windowsFolder(codexHome), known.socket);
  const closed = new Promise<void>((resolve) => {
    transport.onClose = () => resolve();
  });
  transport.send(JSON.stringify({ ide: "parley-ide-1", token: known.token, cwd: "/" }));
  transport.send('{"type":"renameSymbol"}');
  await closed;
  const link = await linkWindow(codexHome, known, "/", events().of);
  await link.open?.("a", undefined);
  link.close();
});

test("no more than twenty terminals are linked with one window", { skip }, async (t) => {
  const codexHome = home(t);
  await window(t, codexHome);
  const known = only(registeredWindows(codexHome));
  const links = await Promise.all(Array.from({ length: 20 }, () => linkWindow(codexHome, known, "/", events().of)));
  await assert.rejects(linkWindow(codexHome, known, "/", events().of));
  for (const link of links) link.close();
});

test("registrations that no window wrote are ignored: of the dead, of others, links, nonsense, an open folder", { skip }, async (t) => {
  const codexHome = home(t);
  const folder = windowsFolder(codexHome);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const entry = (changes: object): string =>
    JSON.stringify({ ide: "parley-ide-1", pid: process.pid, app: "x", folders: [], token: "t", ...changes });
  writeFileSync(path.join(folder, "1-dead.json"), entry({ pid: 2 ** 22 - 1 }));
  writeFileSync(path.join(folder, "2-older.json"), entry({ ide: "parley-ide-0" }));
  writeFileSync(path.join(folder, "3-broken.json"), "{");
  writeFileSync(path.join(folder, "4-large.json"), entry({ app: "x".repeat(100_000) }));
  writeFileSync(path.join(folder, "..5.json"), entry({}));
  writeFileSync(path.join(codexHome, "elsewhere.json"), entry({}));
  symlinkSync(path.join(codexHome, "elsewhere.json"), path.join(folder, "6-link.json"));
  assert.deepEqual(registeredWindows(codexHome), []);
  writeFileSync(path.join(folder, "7-good.json"), entry({ folders: ["/a"] }));
  assert.deepEqual(only(registeredWindows(codexHome)).folders, ["/a"]);
  chmodSync(folder, 0o777);
  assert.deepEqual(registeredWindows(codexHome), [], "anybody could have put it there");
  assert.deepEqual(registeredWindows(path.join(codexHome, "none")), []);
});

test("a starting window removes what killed ones have left", { skip }, async (t) => {
  const codexHome = home(t);
  const folder = windowsFolder(codexHome);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const socket = path.join(folder, "9-dead.sock");
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path.join(codexHome, "s"), resolve));
  renameSync(path.join(codexHome, "s"), socket);
  await new Promise((resolve) => server.close(resolve));
  writeFileSync(path.join(folder, "9-dead.json"), "{}");
  await window(t, codexHome);
  assert.deepEqual([existsSync(socket), existsSync(path.join(folder, "9-dead.json"))], [false, false]);
});

test("the window with the longest folder around a terminal's is the one; a folder inside it counts less", () => {
  const at = (...folders: string[]): EditorWindow => ({ socket: "", app: "", token: "", folders });
  const [root, project, inner, other] = [at("/w"), at("/x", "/w/project"), at("/w/project/inner"), at("/y")];
  const all = [root, project, inner, other];
  assert.deepEqual(windowsFor(all, "/w/project/src"), [project]);
  assert.deepEqual(windowsFor(all, "/w/project"), [project]);
  assert.deepEqual(windowsFor([inner, other], "/w/project"), [inner]);
  assert.deepEqual(windowsFor(all, "/w/projects"), [root], "a name that only begins alike is another");
  assert.deepEqual(windowsFor([root, at("/w")], "/w").length, 2);
  assert.deepEqual(windowsFor(all, "/z"), []);
  assert.deepEqual(windowsFor([], "/z"), []);
});
