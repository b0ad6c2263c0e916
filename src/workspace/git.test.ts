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
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { createGit } from "./git.ts";
import { parseGitConfig, publicUrl } from "./git-config.ts";

const never = new AbortController().signal;

function place(t: TestContext) {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "git-")));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const ws = path.join(root, "ws");
  mkdirSync(ws);
  const scratch = path.join(root, "home/cache");
  const env = { PATH: process.env["PATH"] ?? "", HOME: root, GIT_CONFIG_NOSYSTEM: "1" };
  const identity = [
    "-c",
    "user.name=t",
    "-c",
    "user.email=t@example.invalid",
    "-c",
    "init.defaultBranch=main",
    "-c",
    "protocol.file.allow=always",
  ];
  const run = (cwd: string, ...args: string[]): string =>
    execFileSync("git", [...identity, ...args], { cwd, env, encoding: "utf8", stdio: "pipe" });
  const file = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(ws, name)), { recursive: true });
    writeFileSync(path.join(ws, name), text);
  };
  const git = createGit({ program: () => "/usr/bin/git", scratch, env });
  /** A repository with one commit that its remote has. */
  const withRemote = (...init: string[]): void => {
    run(root, "init", "-q", "--bare", ...init, "remote.git");
    run(ws, "init", "-q", ...init);
    run(ws, "remote", "add", "origin", path.join(root, "remote.git"));
    file("a", "1\n");
    file("b", "1\n");
    run(ws, "add", ".");
    run(ws, "commit", "-qm", "first");
    run(ws, "push", "-q", "origin", "HEAD:main");
    run(ws, "fetch", "-q");
  };
  const head = (): string => run(ws, "rev-parse", "HEAD").trim();
  return { root, ws, scratch, git, run, file, withRemote, head };
}

test("info is read from the files of a repository, from subfolders and in every storage format", async (t) => {
  const p = place(t);
  assert.equal(await p.git.info(p.ws), undefined);
  assert.equal(await p.git.root(p.ws), undefined);
  p.withRemote();
  p.run(p.ws, "remote", "set-url", "origin", "https://user:token@example.invalid/r.git?key=x");
  const info = { sha: p.head(), branch: "main", originUrl: "https://example.invalid/r.git" };
  mkdirSync(path.join(p.ws, "deep/er"), { recursive: true });
  assert.deepEqual(await p.git.info(path.join(p.ws, "deep/er")), info);
  assert.equal(await p.git.root(path.join(p.ws, "deep/er")), p.ws);
  p.run(p.ws, "pack-refs", "--all");
  assert.deepEqual(await p.git.info(p.ws), info);
  p.run(p.ws, "worktree", "add", "-q", "-b", "feature/x", path.join(p.root, "tree"));
  assert.deepEqual(await p.git.info(path.join(p.root, "tree")), { ...info, branch: "feature/x" });
  p.run(p.ws, "checkout", "-q", "--detach");
  assert.deepEqual(await p.git.info(p.ws), { ...info, branch: null });
});

test("a repository without a commit, and folders that only look like one", async (t) => {
  const p = place(t);
  p.run(p.ws, "init", "-q");
  assert.deepEqual(await p.git.info(p.ws), { sha: null, branch: "main", originUrl: null });
  writeFileSync(path.join(p.ws, ".git/HEAD"), "ref: refs/heads/../../../../etc/passwd\n");
  assert.deepEqual(await p.git.info(p.ws), { sha: null, branch: null, originUrl: null });
  rmSync(path.join(p.ws, ".git"), { recursive: true });
  writeFileSync(path.join(p.ws, ".git"), "gitdir: /nowhere\n");
  assert.equal(await p.git.info(p.ws), undefined);
  rmSync(path.join(p.ws, ".git"));
  mkdirSync(path.join(p.ws, ".git"));
  execFileSync("mkfifo", [path.join(p.ws, ".git/HEAD")]);
  assert.equal(await p.git.info(p.ws), undefined, "a pipe does not hold it");
});

for (const format of ["sha1", "sha256"])
  test(`the diff contains commits, edits, staged and untracked files since the remote's nearest commit (${format})`, async (t) => {
    const p = place(t);
    p.withRemote(`--object-format=${format}`);
    const base = p.head();
    assert.deepEqual(await p.git.diffToRemote(p.ws, never), { sha: base, diff: "" });
    p.file("a", "2\n");
    p.run(p.ws, "commit", "-qam", "second");
    p.file("b", "2\n");
    p.file("staged", "s\n");
    p.run(p.ws, "add", "staged");
    p.file("new file", "n\n");
    p.file(".gitignore", "ignored\n");
    p.file("ignored", "secret\n");
    const found = await p.git.diffToRemote(p.ws, never);
    assert.equal(found?.sha, base);
    const names = [...(found?.diff ?? "").matchAll(/^diff --git a\/(.+) b\//gm)].map((m) => m[1]);
    assert.deepEqual(names, ["a", "b", "staged", ".gitignore", "new file"]);
    p.run(p.ws, "worktree", "add", "-q", "--detach", path.join(p.root, "tree"), base);
    execFileSync("git", ["apply", "-"], { cwd: path.join(p.root, "tree"), input: found?.diff });
    assert.equal(readFileSync(path.join(p.root, "tree/new file"), "utf8"), "n\n");
    assert.deepEqual(readdirSync(p.scratch), [], "nothing is left behind");
  });

test("a merge from the remote moves the base; without a remote there is none", async (t) => {
  const p = place(t);
  p.run(p.ws, "init", "-q");
  p.file("x", "1");
  p.run(p.ws, "add", ".");
  p.run(p.ws, "commit", "-qm", "x");
  assert.equal(await p.git.diffToRemote(p.ws, never), undefined);
  const q = place(t);
  q.withRemote();
  q.run(q.ws, "checkout", "-qb", "mine");
  q.file("mine", "1\n");
  q.run(q.ws, "add", ".");
  q.run(q.ws, "commit", "-qm", "mine");
  q.run(q.ws, "checkout", "-q", "main");
  q.file("theirs", "1\n");
  q.run(q.ws, "add", ".");
  q.run(q.ws, "commit", "-qm", "theirs");
  q.run(q.ws, "push", "-q", "origin", "main");
  const theirs = q.head();
  q.run(q.ws, "checkout", "-q", "mine");
  q.run(q.ws, "merge", "-q", "--no-edit", "main");
  q.run(q.ws, "pack-refs", "--all");
  const found = await q.git.diffToRemote(q.ws, never);
  assert.equal(found?.sha, theirs);
  assert.ok(found?.diff.includes("a/mine") && !found.diff.includes("a/theirs"));
});

test("an edit in the same second as the index is found, though size and time are equal", async (t) => {
  const p = place(t);
  p.withRemote();
  p.run(p.ws, "config", "core.trustctime", "false");
  const [file, index, then] = [path.join(p.ws, "a"), path.join(p.ws, ".git/index"), new Date(Date.now() - 60_000)];
  utimesSync(file, then, then);
  p.run(p.ws, "update-index", "--refresh");
  p.file("a", "2\n");
  for (const at of [file, index]) utimesSync(at, then, then);
  assert.match((await p.git.diffToRemote(p.ws, never))?.diff ?? "", /^-1\n\+2\n/m);
});

test("split index and shallow clones", async (t) => {
  const p = place(t);
  p.withRemote();
  p.run(p.ws, "update-index", "--split-index");
  p.file("a", "2\n");
  p.run(p.ws, "add", "a");
  assert.ok((await p.git.diffToRemote(p.ws, never))?.diff.includes("+2"));
  p.run(p.ws, "commit", "-qm", "second");
  p.run(p.ws, "push", "-q", "origin", "HEAD:main");
  p.run(p.root, "clone", "-q", "--depth=1", `file://${p.root}/remote.git`, "clone");
  writeFileSync(path.join(p.root, "clone/a"), "3\n");
  assert.ok((await p.git.diffToRemote(path.join(p.root, "clone"), never))?.diff.includes("+3"));
});

test("nothing that a repository configures is run", async (t) => {
  const p = place(t);
  p.withRemote();
  const ran = path.join(p.root, "ran");
  mkdirSync(ran);
  const trap = (name: string): string => {
    const script = path.join(p.ws, `trap-${name}.sh`);
    writeFileSync(script, `#!/bin/sh\ntouch ${ran}/${name}\ncat\n`);
    chmodSync(script, 0o755);
    return script;
  };
  const sub = path.join(p.root, "sub");
  mkdirSync(sub);
  p.run(sub, "init", "-q");
  writeFileSync(path.join(sub, "f"), "1\n");
  p.run(sub, "add", ".");
  p.run(sub, "commit", "-qm", "x");
  p.run(p.ws, "submodule", "--quiet", "add", sub, "module");
  p.run(p.ws, "commit", "-qm", "module");
  const hooks = path.join(p.ws, ".git/hooks");
  mkdirSync(hooks, { recursive: true });
  const config = (inModule: boolean): string => {
    const name = inModule ? "module" : "top";
    return `[core]
	fsmonitor = ${trap(`${name}-fsmonitor`)}
	hooksPath = ${hooks}
	pager = ${trap(`${name}-pager`)}
	sshCommand = ${trap(`${name}-ssh`)}
	askPass = ${trap(`${name}-askpass`)}
	editor = ${trap(`${name}-editor`)}
	alternateRefsCommand = ${trap(`${name}-refs`)}
	gitProxy = ${trap(`${name}-proxy`)}
[diff]
	external = ${trap(`${name}-external`)}
	submodule = diff
[filter "evil"]
	clean = ${trap(`${name}-clean`)}
	smudge = ${trap(`${name}-smudge`)}
	required = true
[filter "evil.dotted"]
	process = ${trap(`${name}-process`)}
	clean = ${trap(`${name}-dotted`)}
[diff "evil"]
	textconv = ${trap(`${name}-textconv`)}
	command = ${trap(`${name}-command`)}
[merge "evil"]
	driver = ${trap(`${name}-merge`)}
[credential]
	helper = ${trap(`${name}-credential`)}
[include]
	path = ${path.join(p.ws, "more.config")}
`;
  };
  appendFileSync(path.join(p.ws, ".git/config"), config(false));
  appendFileSync(path.join(p.ws, ".git/modules/module/config"), config(true));
  p.file("more.config", `[filter "evil"]\n\tclean = ${trap("included")}\n`);
  for (const name of ["post-index-change", "fsmonitor-watchman", "pre-auto-gc", "reference-transaction"]) {
    writeFileSync(path.join(hooks, name), `#!/bin/sh\ntouch ${ran}/hook\n`);
    chmodSync(path.join(hooks, name), 0o755);
  }
  const attributes = "a filter=evil diff=evil merge=evil\nb filter=evil.dotted\n* diff=evil\n";
  p.file(".gitattributes", attributes);
  writeFileSync(path.join(p.ws, ".git/info/attributes"), attributes);
  writeFileSync(path.join(p.ws, "module/.gitattributes"), "* filter=evil\n");
  p.file("a", "2\n");
  p.file("b", "2\n");
  writeFileSync(path.join(p.ws, "module/f"), "2\n");
  const found = await p.git.diffToRemote(p.ws, never);
  assert.ok(found?.diff.includes("-1\n+2"), JSON.stringify(found));
  await p.git.info(p.ws);
  assert.deepEqual(readdirSync(ran), []);
  p.run(p.ws, "status", "--porcelain");
  assert.notDeepEqual(readdirSync(ran), [], "the traps do work");
});

test("an aborted call ends at once and leaves nothing behind", async (t) => {
  const p = place(t);
  p.withRemote();
  await assert.rejects(p.git.diffToRemote(p.ws, AbortSignal.abort(new Error("stop"))), /stop/);
  assert.deepEqual(existsSync(p.scratch) ? readdirSync(p.scratch) : [], []);
});

test("config values are read as git reads them", () => {
  const text = `# c\n[core] bare = false\n\tfileMode\n[Remote "a \\"b\\" C"]\n url = "x # y" ; c\n  other = one \\\n two  # z\n[x.Y]\nk = a\\tb\\\\\n`;
  assert.deepEqual(Object.fromEntries(parseGitConfig(text)), {
    "core.bare": "false",
    "core.filemode": "true",
    'remote.a "b" C.url': "x # y",
    'remote.a "b" C.other': "one  two",
    "x.y.k": "a\tb\\",
  });
});

test("addresses lose whatever could be a secret", () => {
  const pairs = [
    ["https://token@host/r.git", "https://host/r.git"],
    ["https://u:p@ss@host:8443/r.git?t=1#f", "https://host:8443/r.git"],
    ["ssh://git:secret@host/r", "ssh://git@host/r"],
    ["git@host:o/r.git", "git@host:o/r.git"],
    ["ghp_TOKEN:x@host:o/r", "host:o/r"],
    ["/srv/r.git", "/srv/r.git"],
    ["a\nb", null],
  ] as const;
  for (const [given, expected] of pairs) assert.equal(publicUrl(given), expected);
});
