/** `git/*` and `patch/revert`, which no other server has. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Stage, verifies } from "../../support/verifies.ts";

async function play(stage: Stage) {
  writeFileSync(path.join(stage.home, ".gitconfig"), "[user]\n\tname = P\n\temail = p@example.invalid\n[init]\n\tdefaultBranch = main\n");
  const env = { PATH: process.env["PATH"], HOME: stage.home };
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: stage.workspace, env, encoding: "utf8", stdio: "pipe" });
  const file = (name: string, text: string): void => writeFileSync(path.join(stage.workspace, name), text);
  const read = (name: string): string | undefined => {
    const at = path.join(stage.workspace, name);
    return existsSync(at) ? readFileSync(at, "utf8") : undefined;
  };
  const cwd = stage.workspace;
  const outside = await stage.app({ turns: [], capabilities: { experimentalApi: true } });
  assert.deepEqual(await outside.call("git/status", { cwd }), { repository: null });
  git("init", "-q");
  file("a", "1\n2\n3\n");
  git("add", ".");
  git("commit", "-qm", "first");
  return { app: outside, git, file, read, cwd };
}

verifies("git.review", async (stage) => {
  const { app, git, file, read, cwd } = await play(stage);
  file("a", "1\ntwo\n3\n");
  file("new", "n\n");
  const { files, root } = await app.call("git/diff", { cwd, scope: "unstaged" });
  assert.deepEqual(
    [root, files.map((f) => [f.path, f.change, f.added, f.removed])],
    [
      cwd,
      [
        ["a", "update", 1, 1],
        ["new", "add", 1, 0],
      ],
    ],
  );
  const [a] = files;
  assert.ok(a !== undefined);
  await app.call("git/stage", { cwd, scope: "unstaged", path: "a", id: a.id, hunk: 0 });
  assert.equal(git("diff", "--cached", "--name-only"), "a\n");
  assert.deepEqual((await app.call("git/status", { cwd })).repository?.staged, 1);
  const [staged] = (await app.call("git/diff", { cwd, scope: "staged" })).files;
  await app.call("git/stage", { cwd, scope: "staged", path: "a", id: staged?.id ?? "" });
  await assert.rejects(
    app.call("git/revert", { threadId: "t", cwd, scope: "unstaged", path: "a", id: "other" }),
    /has changed since it was shown/,
  );
  const { undoId } = await app.call("git/revert", { threadId: "t", cwd, scope: "unstaged", path: "a", id: a.id });
  assert.equal(read("a"), "1\n2\n3\n");
  const { restored } = await app.call("turn/revert", { threadId: "t", turnId: undoId });
  assert.deepEqual([restored, read("a")], [[path.join(cwd, "a")], "1\ntwo\n3\n"]);
  const fresh = (await app.call("git/diff", { cwd, scope: "branch" })).files.find((f) => f.path === "new");
  await app.call("git/revert", { threadId: "t", cwd, scope: "branch", path: "new", id: fresh?.id ?? "" });
  assert.equal(read("new"), undefined);
});

verifies("git.patch", async (stage) => {
  const { app, file, read, cwd } = await play(stage);
  file("a", "1\ntwo\n3\n4\n");
  const patch = "--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n";
  const { undoId } = await app.call("patch/revert", { threadId: "t", folder: cwd, patch });
  assert.equal(read("a"), "1\n2\n3\n4\n");
  await app.call("turn/revert", { threadId: "t", turnId: undoId });
  assert.equal(read("a"), "1\ntwo\n3\n4\n");
  file("a", "1\nzwei\n3\n");
  await assert.rejects(app.call("patch/revert", { threadId: "t", folder: cwd, patch }), /lines have changed since/);
  const outside = patch.replace("+++ b/a", "+++ b/../../etc/x");
  await assert.rejects(app.call("patch/revert", { threadId: "t", folder: cwd, patch: outside }), /is outside/);
  file("made", "x\n");
  await app.call("patch/revert", { threadId: "t", folder: cwd, patch: "--- /dev/null\n+++ b/made\n@@ -0,0 +1 @@\n+x\n" });
  assert.equal(read("made"), undefined);
});

verifies("git.commit", async (stage) => {
  const { app, git, file, cwd } = await play(stage);
  await assert.rejects(app.call("git/commit", { cwd, message: "none" }), /Nothing is staged/);
  file("b", "b\n");
  const { sha, branch } = await app.call("git/commit", { cwd, message: "second", all: true, branch: "topic" });
  assert.deepEqual([branch, git("log", "-1", "--format=%H %s").trim()], ["topic", `${sha} second`]);
  await assert.rejects(app.call("git/push", { cwd }), /has no remote/);
  git("init", "-q", "--bare", path.join(stage.home, "r.git"));
  git("remote", "add", "origin", path.join(stage.home, "r.git"));
  assert.deepEqual(await app.call("git/push", { cwd }), { remote: "origin", branch: "topic" });
  assert.equal(git("ls-remote", "origin", "topic").split("\t")[0], sha);
  assert.deepEqual(await app.call("git/pullRequest/read", { cwd }), { pullRequest: null });
  await assert.rejects(app.call("git/pullRequest/create", { cwd, title: "t" }), /need the program gh/);
});

verifies("git.worktree", async (stage) => {
  const { app, git, file, read, cwd } = await play(stage);
  const { folder, root } = await app.call("git/worktree/add", { cwd, branch: "parley/x" });
  assert.deepEqual([root, folder.startsWith(path.join(stage.home, ".local/share/parley/worktrees/"))], [cwd, true]);
  writeFileSync(path.join(folder, "a"), "1\n2\n3\nmore\n");
  await app.call("git/commit", { cwd: folder, message: "more", all: true });
  file("a", "mine\n");
  const { conflicts } = await app.call("git/worktree/merge", { cwd: folder });
  assert.deepEqual([conflicts.map((c) => c.path), read("a")], [["a"], "mine\n"]);
  git("checkout", "-q", "--", "a");
  assert.deepEqual((await app.call("git/worktree/merge", { cwd: folder })).conflicts, []);
  assert.deepEqual([read("a"), existsSync(folder)], ["1\n2\n3\nmore\n", false]);
  const second = await app.call("git/worktree/add", { cwd, branch: null });
  assert.deepEqual(await app.call("git/worktree/remove", { cwd: second.folder }), { removed: true, kept: null });
});
