import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import type { SeenChange, Snapshot } from "../core/ports/snapshots.ts";
import { RepositoryMemory } from "./repository-memory.ts";
import { createSnapshots } from "./snapshots.ts";

const isPossible = process.platform === "linux" && existsSync("/usr/bin/git");
const check = (name: string, work: (t: TestContext) => Promise<void>): unknown =>
  test(name, { skip: !isPossible && "needs Linux and git" }, work);
const limits = { files: 10_000, fileBytes: 1024 * 1024, totalBytes: 24 * 1024 * 1024 };

interface Place {
  readonly root: string;
  readonly scratch: string;
  git(...args: string[]): string;
  write(name: string, text: string | Buffer): void;
  commit(): void;
  /** A memory that has read everything, with a snapshot. */
  take(at?: string): Promise<Snapshot>;
}

function place(t: TestContext): Place {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "repository-")));
  const [root, scratch] = [path.join(base, "repo"), path.join(base, "scratch")];
  mkdirSync(root);
  const env = { PATH: "/usr/bin:/bin", HOME: base, GIT_CONFIG_NOSYSTEM: "1" };
  const git = (...args: string[]): string =>
    execFileSync("/usr/bin/git", ["-c", "user.name=a", "-c", "user.email=a@b.test", ...args], { cwd: root, env, encoding: "utf8" });
  git("init", "--quiet", "--initial-branch=main");
  const memories: RepositoryMemory[] = [];
  t.after(() => {
    for (const memory of memories) memory.close();
    rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    ...{ root, scratch, git },
    write(name, text) {
      mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
      writeFileSync(path.join(root, name), text);
    },
    commit() {
      git("add", "--all");
      git("commit", "--quiet", "--message=x");
    },
    async take(at = root) {
      const memory = new RepositoryMemory(at, limits, { program: () => "/usr/bin/git", scratch, env });
      memories.push(memory);
      await memory.refresh();
      assert.equal(memory.reason, undefined);
      return memory.open();
    },
  };
}

const shown = (state: SeenChange["before"] | SeenChange["after"]): string =>
  typeof state !== "object"
    ? String(state)
    : state.kind === "file"
      ? Buffer.from(state.bytes).toString()
      : state.kind === "link"
        ? `-> ${state.target}`
        : state.kind;

async function seen(snapshot: Snapshot, root: string): Promise<Record<string, string>> {
  const found = (await snapshot.changes()).map(({ path: file, before, after }) => [
    path.relative(root, file),
    `${shown(before)} => ${shown(after)}`,
  ]);
  return Object.fromEntries(found.sort());
}

check("what a command changes in a repository: tracked files come from git's objects, others from what was kept", async (t) => {
  const p = place(t);
  for (const name of ["clean", "dirty", "goes", "folder/a", "folder/deep/b", "same"]) p.write(name, name);
  p.write(".gitignore", "*.log\nbuilt/\n");
  symlinkSync("clean", path.join(p.root, "link"));
  p.commit();
  p.write("dirty", "edited by the person");
  p.write("untracked", "of the person");
  p.write("noise.log", "1");
  mkdirSync(path.join(p.root, "empty"));
  const snapshot = await p.take();
  assert.deepEqual(await seen(snapshot, p.root), {});
  for (const name of ["clean", "dirty", "untracked", "noise.log", "empty/new"]) p.write(name, "changed");
  p.write("built/out", "ignored");
  rmSync(path.join(p.root, "goes"));
  rmSync(path.join(p.root, "link"));
  symlinkSync("dirty", path.join(p.root, "link"));
  renameSync(path.join(p.root, "folder"), path.join(p.root, "moved"));
  p.write("new/deep/file", "fresh");
  utimesSync(path.join(p.root, "same"), 1, 1);
  assert.deepEqual(await seen(snapshot, p.root), {
    clean: "clean => changed",
    dirty: "edited by the person => changed",
    "empty/new": "absent => changed",
    "folder/a": "folder/a => absent",
    "folder/deep/b": "folder/deep/b => absent",
    goes: "goes => absent",
    link: "-> clean => -> dirty",
    "moved/a": "absent => folder/a",
    "moved/deep/b": "absent => folder/deep/b",
    "new/deep/file": "absent => fresh",
    untracked: "of the person => changed",
  });
  p.write("clean", "again");
  p.write("moved/deep/b", "in a folder that has moved");
  p.write("new/deep/more", "more");
  assert.deepEqual(await seen(snapshot, p.root), {
    clean: "undefined => again",
    "moved/deep/b": "undefined => in a folder that has moved",
    "new/deep/more": "absent => more",
  });
});

check("nothing is written to the repository, and nothing of its configuration runs", async (t) => {
  const p = place(t);
  const trap = path.join(p.root, "..", "trap");
  const script = path.join(p.root, "..", "evil.sh");
  writeFileSync(script, `#!/bin/sh\necho "$0 $*" >> ${trap}\ncat\n`, { mode: 0o755 });
  p.write(".gitattributes", "*.bin filter=evil diff=evil\n");
  p.write("a.bin", "content");
  p.write("b", "b");
  p.commit();
  for (const key of [
    "core.fsmonitor",
    "filter.evil.clean",
    "filter.evil.smudge",
    "filter.evil.process",
    "diff.evil.textconv",
    "core.pager",
  ])
    p.git("config", key, script);
  p.git("config", "core.hooksPath", path.dirname(script));
  p.git("config", "core.worktree", "/");
  utimesSync(path.join(p.root, "a.bin"), 1, 1);
  const state = (): unknown =>
    readdirSync(path.join(p.root, ".git"), { recursive: true, encoding: "utf8" }).map((name) => {
      const { mtimeMs, size } = statSync(path.join(p.root, ".git", name));
      return [name, mtimeMs, size];
    });
  const before = state();
  const snapshot = await p.take();
  p.write("a.bin", "other");
  p.write("b", "other");
  p.write(":(top)odd\nname", "new");
  assert.deepEqual(await seen(snapshot, p.root), {
    "a.bin": "content => other",
    b: "b => other",
    ":(top)odd\nname": "absent => new",
  });
  assert.deepEqual(state(), before);
  assert.equal(existsSync(trap), false, existsSync(trap) ? readFileSync(trap, "utf8") : "");
});

check("a file that git stores in another form is restored as it was", async (t) => {
  const p = place(t);
  p.write(".gitattributes", "*.big filter=up\n*.bat eol=crlf\n*.id ident\n");
  p.git("config", "filter.up.clean", "tr a-z A-Z");
  p.git("config", "filter.up.smudge", "tr A-Z a-z");
  for (const [name, text] of Object.entries({ "x.big": "lower case", "x.bat": "one\r\ntwo\r\n", "x.id": "$Id$" })) p.write(name, text);
  p.commit();
  rmSync(path.join(p.root, "x.id"));
  p.git("checkout", "--", "x.id");
  const expanded = readFileSync(path.join(p.root, "x.id"), "utf8");
  assert.match(expanded, /\$Id: [0-9a-f]+ \$/);
  const snapshot = await p.take();
  for (const name of ["x.big", "x.bat", "x.id"]) p.write(name, "!");
  assert.deepEqual(await seen(snapshot, p.root), {
    "x.bat": "one\r\ntwo\r\n => !",
    "x.big": "lower case => !",
    "x.id": `${expanded} => !`,
  });
});

check("what was ignored before is never taken for new", async (t) => {
  const p = place(t);
  p.write(".gitignore", "secret\n");
  p.write("a", "a");
  p.commit();
  p.write("secret", "of the person");
  const snapshot = await p.take();
  p.write(".gitignore", "");
  p.write("secret", "changed");
  p.write("new", "new");
  assert.deepEqual(await seen(snapshot, p.root), {
    ".gitignore": "secret\n => ",
    new: "absent => new",
    secret: "notKept => changed",
  });
  p.write("secret", "once more");
  assert.deepEqual(await seen(snapshot, p.root), { secret: "undefined => once more" });
});

check("a later look after the rules have changed keeps what they no longer ignore", async (t) => {
  const p = place(t);
  p.write(".gitignore", "secret\n");
  p.commit();
  p.write("secret", "of the person");
  const snapshot = await p.take();
  p.write(".gitignore", "");
  assert.deepEqual(await seen(snapshot, p.root), { ".gitignore": "secret\n => " });
  assert.deepEqual(await seen(snapshot, p.root), {});
  p.write("secret", "changed");
  assert.deepEqual(await seen(snapshot, p.root), { secret: "of the person => changed" });
});

check("odd indexes: split, version 4, assumed unchanged, partly checked out, in conflict, SHA-256", async (t) => {
  const p = place(t);
  for (const name of ["one", "two", "three", "left-out"]) p.write(name, name);
  p.commit();
  p.git("update-index", "--index-version", "4", "--split-index");
  p.write("one", "staged");
  p.git("add", "one");
  p.git("update-index", "--assume-unchanged", "two");
  p.write("two", "edited without git knowing");
  p.git("update-index", "--skip-worktree", "left-out");
  rmSync(path.join(p.root, "left-out"));
  const snapshot = await p.take();
  for (const name of ["one", "two", "three", "left-out"]) p.write(name, "!");
  assert.deepEqual(await seen(snapshot, p.root), {
    "left-out": "absent => !",
    one: "staged => !",
    three: "three => !",
    two: "edited without git knowing => !",
  });

  const q = place(t);
  rmSync(path.join(q.root, ".git"), { recursive: true });
  q.git("init", "--quiet", "--object-format=sha256", "--initial-branch=main");
  q.write("a", "1");
  q.commit();
  q.git("checkout", "--quiet", "-b", "other");
  q.write("a", "2");
  q.commit();
  q.git("checkout", "--quiet", "main");
  q.write("a", "3");
  q.commit();
  assert.throws(() => q.git("merge", "other"));
  q.write("b", "b");
  q.git("add", "b");
  const conflicted = readFileSync(path.join(q.root, "a"), "utf8");
  const other = await q.take();
  q.write("a", "!");
  q.write("b", "!");
  assert.deepEqual(await seen(other, q.root), { a: `${conflicted} => !`, b: "b => !" });
});

check("a folder of a repository, a linked working tree, and repositories inside", async (t) => {
  const p = place(t);
  for (const name of ["outside", "sub/in", "sub/deep/in"]) p.write(name, name);
  p.commit();
  const linked = path.join(p.root, "..", "linked");
  p.git("worktree", "add", "--quiet", linked);
  const [inside, tree] = [await p.take(path.join(p.root, "sub")), await p.take(linked)];
  execFileSync("/usr/bin/git", ["init", "--quiet", path.join(p.root, "sub/nested")]);
  p.write("sub/nested/file", "of another repository");
  for (const name of ["outside", "sub/in", "sub/deep/in"]) p.write(name, "!");
  writeFileSync(path.join(linked, "sub/in"), "there");
  assert.deepEqual(await seen(inside, p.root), { "sub/deep/in": "sub/deep/in => !", "sub/in": "sub/in => !" });
  assert.deepEqual(await seen(tree, linked), { "sub/in": "sub/in => there" });
});

check("permissions, pipes and links in place of files, large files", async (t) => {
  const p = place(t);
  for (const name of ["run", "pipe", "file"]) p.write(name, name);
  const large = Buffer.alloc(2 * 1024 * 1024, "x");
  p.write("large", large);
  p.commit();
  p.write("large-untracked", large);
  chmodSync(path.join(p.root, "file"), 0o600);
  const snapshot = await p.take();
  chmodSync(path.join(p.root, "run"), 0o755);
  for (const name of ["pipe", "run-pipe"]) {
    rmSync(path.join(p.root, name), { force: true });
    execFileSync("mkfifo", [path.join(p.root, name)]);
  }
  for (const name of ["file", "large", "large-untracked"]) appendFileSync(path.join(p.root, name), "!");
  const found = new Map((await snapshot.changes()).map((change) => [path.basename(change.path), change]));
  assert.deepEqual([...found.keys()].sort(), ["file", "large", "large-untracked", "pipe", "run"]);
  const mode = (name: string): unknown => {
    const before = found.get(name)?.before;
    return typeof before === "object" && before.kind === "file" ? before.mode : before;
  };
  assert.deepEqual([mode("run"), mode("file"), found.get("pipe")?.after.kind], [0o644, 0o600, "other"]);
  assert.equal(shown(found.get("large")?.before).length, large.length, "what git has stored needs no room");
  assert.equal(found.get("large-untracked")?.before, "notKept");
});

check("when notifications are lost everything is compared", async (t) => {
  const p = place(t);
  const names = Array.from({ length: 60 }, (_, i) => `f${i}`);
  for (const name of names) p.write(`many/${name}`, name);
  p.write("untracked-later", "1");
  p.commit();
  const snapshot = await p.take();
  // More at once than the system's queue is trusted with.
  for (let round = 0; round < 100; round++) for (const name of names) p.write(`many/${name}`, `${name} ${round}`);
  p.write("many/new", "new");
  const found = await seen(snapshot, p.root);
  assert.equal(Object.keys(found).length, 61);
  assert.equal(found["many/f7"], "f7 => f7 99");
  assert.equal(found["many/new"], "absent => new");
});

check("a repository too large for reading all of it is remembered as one; another folder is not", async (t) => {
  const p = place(t);
  for (let i = 0; i < 20; i++) p.write(`f${i}`, `${i}`);
  p.commit();
  const git = { program: () => "/usr/bin/git", scratch: p.scratch, env: {} };
  const few = { files: 10, fileBytes: 1024, totalBytes: 1024 };
  const snapshot = await createSnapshots(few, git).take([p.root]);
  p.write("f3", "changed");
  assert.deepEqual(snapshot && (await seen(snapshot, p.root)), { f3: "3 => changed" });
  assert.equal(await createSnapshots(few).take([p.root]), undefined);
  rmSync(path.join(p.root, ".git"), { recursive: true });
  assert.equal(await createSnapshots(few, git).take([p.root]), undefined);
});

check("a snapshot that is taken while another call still chooses how to read the folder is complete", async (t) => {
  const p = place(t);
  const git = { program: () => "/usr/bin/git", scratch: p.scratch, env: {} };
  const isComplete = async (text: string, limited: typeof limits): Promise<void> => {
    const snapshots = createSnapshots(limited, git);
    snapshots.warm([p.root]);
    const taken = await Promise.all([snapshots.take([p.root]), snapshots.take([p.root])]);
    p.write("f3", text);
    for (const snapshot of taken) {
      assert.match(String(snapshot && (await seen(snapshot, p.root))["f3"]), new RegExp(`=> ${text}$`));
      snapshot?.close();
    }
  };
  for (let i = 0; i < 20; i++) p.write(`f${i}`, String(i));
  p.commit();
  await isComplete("too many files", { ...limits, files: 10 });
  // Long names make an index that is as large as that of thousands of files more.
  for (let i = 0; i < 2100; i++) p.write(`${i}${"-".repeat(200)}`, `${i}`);
  p.git("add", "--all");
  await isComplete("a large index", limits);
});

check("what a killed server left behind is removed", async (t) => {
  const p = place(t);
  p.write("a", "a");
  p.commit();
  const [dead, other] = [path.join(p.scratch, "undo-4194999-dead"), path.join(p.scratch, "undo-notes")];
  for (const folder of [dead, other]) mkdirSync(folder, { recursive: true });
  await p.take();
  assert.deepEqual([existsSync(dead), existsSync(other)], [false, true]);
});
