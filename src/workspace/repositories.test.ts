import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { repositoryPlace } from "../../test/support/repository-place.ts";
import type { ChangedFile, DiffScope } from "../core/ports/repository.ts";
import { createRepositories } from "./repositories.ts";
import { parseChanges } from "./repository-diff.ts";

const never = new AbortController().signal;

function place(t: TestContext) {
  const p = repositoryPlace(t);
  const scratch = path.join(p.root, "home/cache");
  const repositories = createRepositories({ program: () => "/usr/bin/git", scratch, env: p.env });
  const changes = async (scope: DiffScope) => await repositories.diff(p.ws, scope, never);
  const one = async (scope: DiffScope, name: string): Promise<ChangedFile> =>
    (await changes(scope)).files.find((file) => file.path === name) ?? assert.fail(`${name} is not ${scope}`);
  const stage = async (scope: "staged" | "unstaged", name: string, hunk?: number): Promise<void> =>
    await repositories.stage(p.ws, { scope, path: name, id: (await one(scope, name)).id }, hunk, never);
  const commit = (message: string, more: { branch?: string; all?: boolean; asInTerminal?: boolean } = {}, cwd = p.ws) =>
    repositories.commit(cwd, { message, branch: more.branch, all: more.all ?? false, asInTerminal: more.asInTerminal ?? false }, never);
  const begin = (): void => {
    p.file("a", lines("one"));
    p.git("add", ".");
    p.git("commit", "-qm", "first");
  };
  const head = (): string => p.git("rev-parse", "HEAD").trim();
  return { ...p, scratch, repositories, changes, one, stage, commit, begin, head };
}
/** Twenty numbered lines; the given ones are replaced. */
const lines = (word: string, changed: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 20 }, (_, i) => `${changed[i + 1] ?? `${word} ${i + 1}`}\n`).join("");
const refused = (pattern: RegExp) => (error: Error) => pattern.test(error.message);

test("every kind of change is named once, with its counts, whatever its name is", async (t) => {
  const p = place(t);
  p.begin();
  p.file("moved", lines("move"));
  p.file("mode", "x\n");
  p.file("kind", "x\n");
  p.file("gone", "x\n");
  p.file("bin", Buffer.from([0, 1, 2]));
  p.git("add", ".");
  p.git("commit", "-qm", "second");
  p.git("mv", "moved", 'ne\nw "na\tme"');
  p.file('ne\nw "na\tme"', lines("move", { 3: "changed" }));
  p.git("add", "--", 'ne\nw "na\tme"');
  chmodSync(path.join(p.ws, "mode"), 0o755);
  rmSync(path.join(p.ws, "kind"));
  symlinkSync("a", path.join(p.ws, "kind"));
  rmSync(path.join(p.ws, "gone"));
  p.file("bin", Buffer.from([0, 1, 3]));
  p.file("-dash :(glob)*", "1\n2\n");
  p.file("ünï", "x\n");
  mkdirSync(path.join(p.ws, "nested"));
  p.gitIn(path.join(p.ws, "nested"), "init", "-q");
  const shown = (files: readonly ChangedFile[]) => files.map((f) => [f.path, f.change, f.added, f.removed, f.binary, f.untracked]);
  const staged = await p.changes("staged");
  assert.deepEqual(shown(staged.files), [['ne\nw "na\tme"', "rename", 1, 1, false, false]]);
  assert.equal(staged.files[0]?.oldPath, "moved");
  const unstaged = await p.changes("unstaged");
  assert.deepEqual(shown(unstaged.files), [
    ["-dash :(glob)*", "add", 2, 0, false, true],
    ["bin", "update", 0, 0, true, false],
    ["gone", "delete", 0, 1, false, false],
    ["kind", "type", 1, 1, false, false],
    ["mode", "update", 0, 0, false, false],
    ["ünï", "add", 1, 0, false, true],
  ]);
  assert.match(unstaged.diff, /^diff --git a\/ünï b\/ünï$/m);
  for (const { path: name } of unstaged.files) await p.stage("unstaged", name);
  assert.deepEqual((await p.changes("unstaged")).files, []);
  assert.equal(
    p
      .git("status", "--porcelain", "-z", "--ignore-submodules=all")
      .split("\0")
      .filter((row) => row !== "" && !row.startsWith("??")).length,
    8,
  );
  for (const { path: name } of (await p.changes("staged")).files) await p.stage("staged", name);
  assert.deepEqual((await p.changes("staged")).files, []);
  const status = await p.repositories.status(p.ws, never);
  assert.deepEqual([status?.staged, status?.unstaged, status?.untracked, status?.branch], [0, 5, 4, "main"]);
});

test("one hunk is staged and unstaged, and what has changed since it was shown is refused", async (t) => {
  const p = place(t);
  p.begin();
  p.file("a", lines("one", { 2: "first part", 18: "second part" }));
  await p.stage("unstaged", "a", 1);
  assert.match(p.git("diff", "--cached"), /^\+second part$/m);
  assert.doesNotMatch(p.git("diff", "--cached"), /first part/);
  await p.stage("staged", "a", 0);
  assert.equal(p.git("diff", "--cached"), "");
  const { id } = await p.one("unstaged", "a");
  await assert.rejects(p.repositories.stage(p.ws, { scope: "unstaged", path: "a", id }, 7, never), refused(/no such part/));
  p.file("a", lines("one", { 2: "another" }));
  await assert.rejects(
    p.repositories.stage(p.ws, { scope: "unstaged", path: "a", id }, 0, never),
    refused(/has changed since it was shown/),
  );
  writeFileSync(path.join(p.ws, ".git/index.lock"), "");
  await assert.rejects(p.stage("unstaged", "a"), refused(/index.lock exists/));
  rmSync(path.join(p.ws, ".git/index.lock"));
  await p.stage("unstaged", "a");
  assert.deepEqual(readdirSync(p.scratch), []);
});

test("a repository without commits, a detached HEAD, a merge under way and a folder below the root", async (t) => {
  const p = place(t);
  assert.equal(await p.repositories.status(p.root, never), undefined);
  await assert.rejects(p.repositories.diff(p.root, "unstaged", never), refused(/is in no git repository/));
  p.file("deep/er/x", "1\n");
  assert.deepEqual(
    (await p.repositories.diff(path.join(p.ws, "deep/er"), "unstaged", never)).files.map((f) => f.path),
    ["deep/er/x"],
  );
  await p.stage("unstaged", "deep/er/x");
  assert.equal((await p.one("staged", "deep/er/x")).change, "add");
  await p.stage("staged", "deep/er/x");
  assert.equal((await p.repositories.status(p.ws, never))?.sha, null);
  const first = await p.commit("first", { all: true });
  assert.deepEqual(
    [first.branch, p.head(), p.git("log", "-1", "--format=%an <%ae> %s").trim()],
    ["main", first.sha, "Test Person <t@example.invalid> first"],
  );
  assert.equal(p.git("status", "--porcelain"), "");
  p.git("checkout", "-q", "--detach");
  p.file("y", "y\n");
  await assert.rejects(p.commit("y", { all: true }), refused(/HEAD is detached/));
  assert.deepEqual((await p.commit("y", { all: true, branch: "side" })).branch, "side");
  assert.equal(p.git("symbolic-ref", "HEAD").trim(), "refs/heads/side");
  p.git("checkout", "-q", "main");
  p.file("y", "other\n");
  await p.commit("other y", { all: true });
  assert.throws(() => p.git("merge", "side"));
  const status = await p.repositories.status(p.ws, never);
  assert.deepEqual([status?.underway, status?.conflicts], ["merge", ["y"]]);
  await assert.rejects(p.commit("z", { all: true }), refused(/merge is under way/));
  assert.deepEqual((await p.changes("unstaged")).files, [], "a file with conflicts is not one change");
});

test("a commit goes to a new branch, needs something staged, and takes no branch that is elsewhere", async (t) => {
  const p = place(t);
  p.begin();
  p.git("branch", "elsewhere");
  p.file("b", "1\n");
  await p.commit("second", { all: true });
  await assert.rejects(p.commit("again"), refused(/Nothing is staged/));
  p.file("b", "2\n");
  p.file("c", "1\n");
  for (const [branch, why] of [
    ["elsewhere", /is at another commit/],
    ["-x", /not a name that git accepts/],
    ["a..b", /not a name/],
    ["x.lock", /not a name/],
  ] as const)
    await assert.rejects(p.commit("third", { all: true, branch }), refused(why));
  await p.stage("unstaged", "b");
  const made = await p.commit("third\n\nwith a body", { branch: "topic/b" });
  assert.deepEqual(
    [p.git("symbolic-ref", "--short", "HEAD").trim(), p.git("show", "--format=%B", "--name-only", "HEAD")],
    ["topic/b", "third\n\nwith a body\n\n\nb\n"],
  );
  assert.equal(p.head(), made.sha);
  assert.equal(p.git("rev-parse", "main").trim(), p.git("rev-parse", "HEAD^").trim(), "the old branch stays where it was");
  const branch = await p.changes("branch");
  assert.deepEqual(
    branch.files.map((f) => [f.path, f.untracked]),
    [
      ["b", false],
      ["c", true],
    ],
  );
  assert.equal((await p.repositories.status(p.ws, never))?.ahead, 1);
  writeFileSync(path.join(p.root, ".gitconfig"), "");
  await assert.rejects(p.commit("who", { all: true }), refused(/does not know who you are/));
});

test("a hostile repository runs nothing, in any operation", async (t) => {
  const p = place(t);
  p.begin();
  const marker = path.join(p.root, "ran");
  const evil = p.program("evil", `echo "$0 $*" >> ${marker}; cat`);
  p.gitIn(p.root, "init", "-q", "--bare", "remote.git");
  p.git("remote", "add", "origin", path.join(p.root, "remote.git"));
  for (const [key, value] of [
    ["core.fsmonitor", evil],
    ["core.hooksPath", path.join(p.root, "hooks")],
    ["core.sshCommand", evil],
    ["core.pager", evil],
    ["core.editor", evil],
    ["core.askPass", evil],
    ["core.gitProxy", evil],
    ["credential.helper", `!${evil}`],
    ["diff.external", evil],
    ["diff.d.textconv", evil],
    ["diff.d.command", evil],
    ["filter.f.clean", evil],
    ["filter.f.smudge", evil],
    ["filter.f.process", evil],
    ["merge.m.driver", evil],
    ["gpg.program", evil],
    ["commit.gpgSign", "true"],
    ["remote.origin.receivepack", evil],
    ["protocol.ext.allow", "always"],
    ["alias.status", `!${evil}`],
    ["uploadpack.packObjectsHook", evil],
    ["sequence.editor", evil],
  ] as const)
    p.git("config", key, value);
  mkdirSync(path.join(p.root, "hooks"));
  for (const hook of [
    "pre-commit",
    "commit-msg",
    "post-commit",
    "pre-push",
    "post-checkout",
    "post-index-change",
    "reference-transaction",
    "post-merge",
  ]) {
    writeFileSync(path.join(p.root, "hooks", hook), `#!/bin/sh\n${evil} ${hook}\n`);
    chmodSync(path.join(p.root, "hooks", hook), 0o755);
  }
  p.file(".gitattributes", "*.x diff=d merge=m\n*.big filter=f\n");
  p.file("b.x", lines("b"));
  await p.commit("attributes", { all: true });
  p.file("b.x", lines("b", { 4: "four" }));
  await p.stage("unstaged", "b.x", 0);
  await p.stage("staged", "b.x");
  await p.commit("four", { all: true, branch: "topic" });
  await p.repositories.push(p.ws, never);
  p.file("c.big", "1\n");
  await assert.rejects(p.stage("unstaged", "c.big"), refused(/goes through the filter "f"/));
  await assert.rejects(p.commit("big", { all: true }), refused(/goes through the filter "f"/));
  rmSync(path.join(p.ws, "c.big"));
  const { folder } = await p.repositories.addWorktree(p.ws, "parley/x", never);
  assert.equal(readFileSync(path.join(folder, "b.x"), "utf8"), lines("b", { 4: "four" }));
  writeFileSync(path.join(folder, "b.x"), lines("b", { 4: "five" }));
  await p.commit("five", { all: true }, folder);
  assert.deepEqual((await p.repositories.mergeWorktree(folder, never)).conflicts, []);
  for (const scope of ["staged", "unstaged", "branch"] as const) await p.changes(scope);
  await p.repositories.status(p.ws, never);
  assert.equal(existsSync(marker) ? readFileSync(marker, "utf8") : "", "");
  for (const url of [`ext::${evil} %S`, "--upload-pack=x", "-oProxyCommand=x", "x::y"]) {
    p.git("config", "remote.origin.url", url);
    await assert.rejects(p.repositories.push(p.ws, never), refused(/is not one that is pushed to/), url);
  }
  assert.equal(existsSync(marker), false);
});

test("a commit as in a terminal runs the repository's hooks, and their refusal is shown", async (t) => {
  const p = place(t);
  p.begin();
  const hook = path.join(p.ws, ".git/hooks/pre-commit");
  writeFileSync(hook, "#!/bin/sh\ngrep -q bad a && { echo 'bad is not allowed' >&2; exit 1; }\nexit 0\n");
  chmodSync(hook, 0o755);
  assert.deepEqual((await p.repositories.status(p.ws, never))?.hooks, ["pre-commit"]);
  p.file("a", "bad\n");
  await assert.rejects(p.commit("bad", { all: true, asInTerminal: true }), refused(/bad is not allowed/));
  p.file("a", "good\n");
  const made = await p.commit("good", { all: true, asInTerminal: true, branch: "topic" });
  assert.deepEqual([made.branch, made.sha], ["topic", p.head()]);
});

test("a branch is pushed with its upstream, and one that is behind is refused in words", async (t) => {
  const p = place(t);
  p.begin();
  await assert.rejects(p.repositories.push(p.ws, never), refused(/has no remote/));
  p.gitIn(p.root, "init", "-q", "--bare", "remote.git");
  p.git("remote", "add", "origin", path.join(p.root, "remote.git"));
  assert.deepEqual(await p.repositories.push(p.ws, never), { remote: "origin", branch: "main" });
  assert.equal(p.gitIn(path.join(p.root, "remote.git"), "rev-parse", "main").trim(), p.head());
  p.file("a", "2\n");
  await p.commit("second", { all: true });
  assert.deepEqual((await p.repositories.status(p.ws, never))?.upstream, { name: "origin/main", ahead: 1, behind: 0 });
  assert.equal(p.git("rev-parse", "--abbrev-ref", "@{upstream}").trim(), "origin/main");
  p.git("clone", "-q", path.join(p.root, "remote.git"), path.join(p.root, "other"));
  p.gitIn(path.join(p.root, "other"), "commit", "-q", "--allow-empty", "-m", "elsewhere");
  p.gitIn(path.join(p.root, "other"), "push", "-q", "origin", "HEAD:main");
  await assert.rejects(p.repositories.push(p.ws, never), refused(/has commits that this one lacks/));
});

test("a worktree is merged back: forward, with a merge commit, or not at all with its conflicts named", async (t) => {
  const p = place(t);
  p.begin();
  const { folder, root } = await p.repositories.addWorktree(p.ws, "parley/one", never);
  assert.equal(root, p.ws);
  const status = await p.repositories.status(folder, never);
  assert.deepEqual(
    [status?.branch, status?.worktree, status?.unstaged, status?.staged],
    ["parley/one", { root: p.ws, branch: "main", isOurs: true }, 0, 0],
  );
  writeFileSync(path.join(folder, "a"), lines("one", { 3: "in the worktree" }));
  await assert.rejects(p.repositories.mergeWorktree(folder, never), refused(/changes that are not committed/));
  await p.commit("from the worktree", { all: true }, folder);
  p.file("a", lines("one", { 3: "in the folder" }));
  const blocked = await p.repositories.mergeWorktree(folder, never);
  assert.deepEqual(blocked.conflicts, [{ path: "a", reason: `has changes in ${p.ws} that are not committed` }]);
  await p.commit("in the folder", { all: true });
  const conflict = await p.repositories.mergeWorktree(folder, never);
  assert.deepEqual(
    [conflict.conflicts, p.read("a")],
    [[{ path: "a", reason: "changed on both sides" }], lines("one", { 3: "in the folder" })],
  );
  assert.equal(p.git("status", "--porcelain"), "");
  p.git("reset", "-q", "--hard", "HEAD^");
  p.file("b", "b\n");
  await p.commit("beside", { all: true });
  p.file("c", "a file of mine\n");
  const merged = await p.repositories.mergeWorktree(folder, never);
  assert.deepEqual([merged.conflicts, merged.into, merged.sha], [[], "main", p.head()]);
  assert.equal(p.git("log", "-1", "--format=%s %P").trim().split(" ").length, 5);
  assert.deepEqual([p.read("a"), p.read("b"), p.read("c")], [lines("one", { 3: "in the worktree" }), "b\n", "a file of mine\n"]);
  assert.equal(p.git("status", "--porcelain"), "?? c\n");
  assert.deepEqual(
    [existsSync(folder), p.git("branch", "--list", "parley/*"), p.git("worktree", "list").trim().split("\n").length],
    [false, "", 1],
  );
  assert.deepEqual(readdirSync(path.join(p.root, ".local/share/parley/worktrees")), []);
});

test("a discarded worktree leaves what only it had under a ref of the repository", async (t) => {
  const p = place(t);
  p.begin();
  const { folder } = await p.repositories.addWorktree(p.ws, "parley/two", never);
  writeFileSync(path.join(folder, "new"), "never committed\n");
  assert.deepEqual(await p.repositories.removeWorktree(folder, { onlyIfMerged: true }, never), { removed: false, kept: null });
  const { kept } = await p.repositories.removeWorktree(folder, { onlyIfMerged: false }, never);
  assert.equal(p.git("show", `${kept}:new`), "never committed\n");
  assert.equal(existsSync(folder), false);
  const clean = await p.repositories.addWorktree(p.ws, "parley/three", never);
  assert.deepEqual(await p.repositories.removeWorktree(clean.folder, { onlyIfMerged: true }, never), { removed: true, kept: null });
  await assert.rejects(p.repositories.removeWorktree(p.ws, { onlyIfMerged: false }, never), refused(/is not a worktree/));
  p.git("worktree", "add", "-q", path.join(p.root, "mine"), "-b", "mine");
  await assert.rejects(
    p.repositories.removeWorktree(path.join(p.root, "mine"), { onlyIfMerged: false }, never),
    refused(/was not made for a session/),
  );
});

test("a huge diff is named without being shown, and a submodule is one line", async (t) => {
  const p = place(t);
  p.begin();
  p.file("huge", `${"x".repeat(99)}\n`.repeat(12_000));
  p.git("add", "huge");
  const { files, truncated, diff } = await p.changes("staged");
  assert.deepEqual([files.map((f) => [f.path, f.added, f.omitted]), truncated, diff], [[["huge", 12_000, true]], true, ""]);
  p.gitIn(p.root, "init", "-q", "sub");
  p.gitIn(path.join(p.root, "sub"), "commit", "-q", "--allow-empty", "-m", "s");
  p.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", path.join(p.root, "sub"), "sub");
  p.git("commit", "-qam", "sub");
  p.gitIn(path.join(p.ws, "sub"), "commit", "-q", "--allow-empty", "-m", "t");
  writeFileSync(path.join(p.ws, "sub/dirty"), "x");
  const sub = await p.one("unstaged", "sub");
  assert.deepEqual([sub.submodule, sub.added, sub.removed], [true, 1, 1]);
  await p.stage("unstaged", "sub");
  assert.equal((await p.one("staged", "sub")).submodule, true);
});

test("a name that is not UTF-8 is shown and left alone", () => {
  const raw = Buffer.concat([
    Buffer.from(":100644 100644 1111111 0000000 M\0"),
    Buffer.of(0xff),
    Buffer.from("\0\0diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\n"),
  ]);
  const [entry] = parseChanges(raw);
  assert.deepEqual([entry?.path, entry?.added, entry?.removed], ["\ufffd", 1, 1]);
  assert.match(entry?.fixed ?? "", /not UTF-8/);
});
