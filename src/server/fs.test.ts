import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { RpcError } from "../protocol/errors.ts";
import type { Call, Session } from "./app.ts";
import { fsHandlers } from "./fs.ts";

function place(t: TestContext) {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "fs-")));
  const received: { watchId: string; changedPaths: string[] }[] = [];
  let wake = Promise.withResolvers<void>();
  const session = {
    onClose: new Set<() => void>(),
    notify: (_method: string, params: { watchId: string; changedPaths: string[] }) => {
      received.push(params);
      wake.resolve();
    },
  } as unknown as Session;
  const call = { session } as Call;
  t.after(() => {
    for (const end of session.onClose) end();
    rmSync(root, { recursive: true, force: true });
  });
  const at = (name: string): string => path.join(root, name);
  const untilReported = async (watchId: string, name: string): Promise<void> => {
    while (!received.some((n) => n.watchId === watchId && n.changedPaths.includes(at(name)))) {
      await wake.promise;
      wake = Promise.withResolvers<void>();
    }
  };
  return { root, at, call, session, received, untilReported };
}

const refusal = async (work: () => unknown, code: number, text: RegExp | string): Promise<void> => {
  await assert.rejects(
    async () => await work(),
    (error: unknown) => {
      assert.ok(error instanceof RpcError, String(error));
      assert.equal(error.code, code);
      if (typeof text === "string") assert.equal(error.message, text);
      else assert.match(error.message, text);
      return true;
    },
  );
};

test("files are read and written as base64", async (t) => {
  const p = place(t);
  const dataBase64 = Buffer.from([0, 255, 10]).toString("base64");
  assert.deepEqual(await fsHandlers["fs/writeFile"]({ path: p.at("f"), dataBase64 }, p.call), {});
  assert.deepEqual(await fsHandlers["fs/readFile"]({ path: p.at("f") }, p.call), { dataBase64 });
  await refusal(() => fsHandlers["fs/readFile"]({ path: p.at("no") }, p.call), -32603, "No such file or directory (os error 2)");
  await refusal(() => fsHandlers["fs/readFile"]({ path: p.root }, p.call), -32600, `path \`${p.root}\` is not a file`);
  await refusal(() => fsHandlers["fs/writeFile"]({ path: p.at("f"), dataBase64: "!!" }, p.call), -32600, /requires valid base64/);
  await refusal(() => fsHandlers["fs/writeFile"]({ path: p.at("no/f"), dataBase64: "" }, p.call), -32603, /No such file/);
  execFileSync("mkfifo", [p.at("pipe")]);
  await refusal(() => fsHandlers["fs/readFile"]({ path: p.at("pipe") }, p.call), -32600, /is not a file/);
});

test("folders are created, listed and described", async (t) => {
  const p = place(t);
  await fsHandlers["fs/createDirectory"]({ path: p.at("a/b") }, p.call);
  await fsHandlers["fs/createDirectory"]({ path: p.at("a/b"), recursive: true }, p.call);
  await refusal(
    () => fsHandlers["fs/createDirectory"]({ path: p.at("a/b"), recursive: false }, p.call),
    -32603,
    "File exists (os error 17)",
  );
  await refusal(() => fsHandlers["fs/createDirectory"]({ path: p.at("x/y"), recursive: false }, p.call), -32603, /No such file/);
  writeFileSync(p.at("a/f"), "");
  symlinkSync("b", p.at("a/link"));
  symlinkSync("nowhere", p.at("a/dangling"));
  assert.deepEqual(await fsHandlers["fs/readDirectory"]({ path: p.at("a") }, p.call), {
    entries: [
      { fileName: "b", isDirectory: true, isFile: false },
      { fileName: "f", isDirectory: false, isFile: true },
      { fileName: "link", isDirectory: true, isFile: false },
    ],
  });
  const metadata = await fsHandlers["fs/getMetadata"]({ path: p.at("a/link") }, p.call);
  assert.deepEqual([metadata.isDirectory, metadata.isFile, metadata.isSymlink], [true, false, true]);
  assert.ok(Number.isInteger(metadata.modifiedAtMs) && Number.isInteger(metadata.createdAtMs));
  await refusal(() => fsHandlers["fs/getMetadata"]({ path: p.at("a/dangling") }, p.call), -32603, /No such file/);
  await refusal(() => fsHandlers["fs/readDirectory"]({ path: p.at("a/f") }, p.call), -32603, "Not a directory (os error 20)");
});

test("removing honours its two options, and never follows a symbolic link", async (t) => {
  const p = place(t);
  mkdirSync(p.at("d/e"), { recursive: true });
  mkdirSync(p.at("keep"));
  symlinkSync(p.at("keep"), p.at("d/link"));
  writeFileSync(p.at("keep/f"), "");
  await fsHandlers["fs/remove"]({ path: p.at("no") }, p.call);
  await refusal(() => fsHandlers["fs/remove"]({ path: p.at("no"), force: false }, p.call), -32603, /No such file/);
  await refusal(() => fsHandlers["fs/remove"]({ path: p.at("d"), recursive: false }, p.call), -32603, /Directory not empty/);
  await fsHandlers["fs/remove"]({ path: p.at("d/e"), recursive: false }, p.call);
  await fsHandlers["fs/remove"]({ path: p.at("d") }, p.call);
  assert.deepEqual([existsSync(p.at("d")), existsSync(p.at("keep/f"))], [false, true]);
  await refusal(() => fsHandlers["fs/remove"]({ path: "/" }, p.call), -32600, /whole file system/);
});

test("copies keep symbolic links and never copy a folder into itself", async (t) => {
  const p = place(t);
  mkdirSync(p.at("a"));
  writeFileSync(p.at("a/f"), "x");
  symlinkSync("f", p.at("a/l"));
  const copy = (source: string, destination: string, recursive?: boolean) =>
    fsHandlers["fs/copy"](
      { sourcePath: p.at(source), destinationPath: p.at(destination), ...(recursive === undefined ? {} : { recursive }) },
      p.call,
    );
  await refusal(() => copy("a", "b"), -32600, "fs/copy requires recursive: true when sourcePath is a directory");
  await copy("a", "b", true);
  await copy("a", "b", true);
  assert.ok(lstatSync(p.at("b/l")).isSymbolicLink());
  await copy("a/l", "l2");
  assert.ok(lstatSync(p.at("l2")).isSymbolicLink());
  await copy("a/f", "f2");
  assert.equal(readFileSync(p.at("f2"), "utf8"), "x");
  await refusal(() => copy("a", "a/inside", true), -32600, /itself or one of its descendants/);
  symlinkSync(p.at("a"), p.at("same"));
  await refusal(() => copy("a", "same/inside", true), -32600, /itself or one of its descendants/);
  await refusal(() => copy("no", "x"), -32603, /No such file/);
  await refusal(() => copy("a/f", "b"), -32603, /Is a directory|EISDIR/);
});

test("a watched folder reports its direct entries, a watched file its replacement, a missing path its creation", async (t) => {
  const p = place(t);
  mkdirSync(p.at("d"));
  writeFileSync(p.at("d/f"), "1");
  const watch = (watchId: string, name: string) => fsHandlers["fs/watch"]({ watchId, path: p.at(name) }, p.call);
  assert.deepEqual(watch("folder", "d"), { path: p.at("d") });
  watch("file", "d/f");
  watch("later", "new/deep/x");
  await refusal(() => watch("folder", "d"), -32600, "watchId already exists: folder");
  writeFileSync(p.at("d/g"), "1");
  writeFileSync(p.at("draft"), "2");
  renameSync(p.at("draft"), p.at("d/f"));
  await p.untilReported("folder", "d/g");
  await p.untilReported("file", "d/f");
  mkdirSync(p.at("new/deep"), { recursive: true });
  writeFileSync(p.at("new/deep/x"), "");
  await p.untilReported("later", "new/deep/x");
  rmSync(p.at("d"), { recursive: true });
  await p.untilReported("folder", "d");
  const before = p.received.filter((n) => n.watchId === "file").length;
  fsHandlers["fs/unwatch"]({ watchId: "file" }, p.call);
  assert.deepEqual(fsHandlers["fs/unwatch"]({ watchId: "unknown" }, p.call), {});
  mkdirSync(p.at("d"));
  writeFileSync(p.at("d/f"), "3");
  await p.untilReported("folder", "d");
  assert.equal(p.received.filter((n) => n.watchId === "file").length, before);
});

test("watching an inaccessible path does not throw, neither directly nor in the system's callbacks", async (t) => {
  const { root, at, call, untilReported } = place(t);
  const tooLong = at("x".repeat(300)); // stat throws for it, as for an inaccessible folder
  symlinkSync("loop", at("loop"));
  await fsHandlers["fs/watch"]({ watchId: "long", path: tooLong }, call);
  await fsHandlers["fs/watch"]({ watchId: "loop", path: path.join(at("loop"), "file") }, call);
  await fsHandlers["fs/watch"]({ watchId: "root", path: root }, call);
  writeFileSync(at("stir"), "");
  await untilReported("root", "stir");
});

test("a connection's watches end with it", async (t) => {
  const p = place(t);
  fsHandlers["fs/watch"]({ watchId: "w", path: p.root }, p.call);
  for (const end of p.session.onClose) end();
  assert.deepEqual(fsHandlers["fs/watch"]({ watchId: "w", path: p.root }, p.call), { path: p.root });
});

test("a named pipe is refused and never blocks", { skip: process.platform === "win32" }, async (t) => {
  const p = place(t);
  execFileSync("mkfifo", [p.at("pipe")]);
  writeFileSync(p.at("file"), "x");
  const dataBase64 = Buffer.from("x").toString("base64");
  await refusal(() => fsHandlers["fs/writeFile"]({ path: p.at("pipe"), dataBase64 }, p.call), -32603, /No such device or address/);
  await refusal(() => fsHandlers["fs/readFile"]({ path: p.at("pipe") }, p.call), -32600, /is not a file/);
  const copy = { sourcePath: p.at("file"), destinationPath: p.at("pipe") };
  await refusal(() => fsHandlers["fs/copy"](copy, p.call), -32600, /is not a file/);
});
