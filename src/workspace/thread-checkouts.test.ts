import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { RepositoryRefusal } from "../core/ports/repository.ts";
import type { Checkouts, SavedFiles } from "../core/ports/thread-workspace.ts";
import { findSystemProgram } from "../lib/program.ts";
import { createCheckouts } from "./thread-checkouts.ts";

const thread = "0199a3f0-0000-7000-8000-000000000001";
const other = "0199a3f0-0000-7000-8000-000000000002";

interface Place {
  readonly folder: string;
  readonly url: string;
  readonly worker: (name: string) => Checkouts;
  readonly git: (cwd: string, ...args: string[]) => string;
}

/** A repository with one commit on `main`, and workers that share nothing but it. */
function place(t: TestContext): Place {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "checkouts-")));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const env = { PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_NOSYSTEM: "1" };
  const git = (cwd: string, ...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b.c", ...args], {
      cwd,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  const [work, url] = [path.join(folder, "work"), path.join(folder, "project.git")];
  mkdirSync(work);
  git(work, "init", "-q", "-b", "main");
  writeFileSync(path.join(work, "a.txt"), "first\n");
  writeFileSync(path.join(work, ".gitignore"), "ignored\n");
  git(work, "add", ".");
  git(work, "commit", "-qm", "one");
  git(work, "tag", "v1");
  git(folder, "clone", "-q", "--bare", work, url);
  const worker = (name: string): Checkouts =>
    createCheckouts({
      root: path.join(folder, name),
      program: () => findSystemProgram("git"),
      scratch: path.join(folder, name, "scratch"),
      env,
      protocols: () => ["https", "ssh", "file"],
    });
  return { folder, url, worker, git };
}
const noGit = findSystemProgram("git") === undefined && "git is not installed";

test("files as of the last save are there on another worker, with commits and without touching the index", { skip: noGit }, async (t) => {
  const { folder, url, worker, git } = place(t);
  const [one, two] = [worker("one"), worker("two")];
  const source = one.sourceIn({ "fleet.git": url, "fleet.ref": "main" });
  assert.deepEqual(source, { url, ref: "main", snapshots: null });
  if (source === undefined) return;
  const at = await one.open(thread, source, undefined);
  assert.equal(git(at, "status", "--porcelain", "--branch"), "## main...origin/main");
  // Everything that a repository could make git run leaves a trace if it runs.
  const trace = path.join(folder, "ran");
  const program = path.join(folder, "program");
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${trace}\ncat\n`);
  chmodSync(program, 0o755);
  for (const hooks of [path.join(at, ".git", "hooks"), path.join(url, "hooks")]) {
    mkdirSync(hooks, { recursive: true });
    for (const hook of [
      "pre-commit",
      "pre-push",
      "post-checkout",
      "pre-receive",
      "post-receive",
      "update",
      "reference-transaction",
      "post-index-change",
    ])
      writeFileSync(path.join(hooks, hook), `#!/bin/sh\necho ${hook} >> ${trace}\n`, { mode: 0o755 });
  }
  const settings = {
    "core.fsmonitor": program,
    "filter.x.clean": program,
    "filter.x.smudge": program,
    "core.sshCommand": program,
    "core.alternateRefsCommand": program,
  };
  for (const [name, value] of Object.entries(settings)) for (const where of [at, url]) git(where, "config", name, value);
  writeFileSync(path.join(at, ".gitattributes"), "*.txt filter=x\n");
  writeFileSync(path.join(at, "a.txt"), "second\n");
  writeFileSync(path.join(at, "new.txt"), "new\n");
  writeFileSync(path.join(at, "ignored"), "x");
  const index = readFileSync(path.join(at, ".git", "index"));
  const first = await one.save(thread, source, undefined);
  assert.equal(first.warning, undefined);
  assert.deepEqual(readFileSync(path.join(at, ".git", "index")), index, "the index is the user's");
  assert.equal(git(url, "rev-parse", `refs/parley/${thread}`), first.saved.commit);
  assert.deepEqual(await one.save(thread, source, first.saved), first, "nothing changed, nothing is saved");
  assert.ok(!existsSync(trace), "nothing of either repository ran");
  for (const name of Object.keys(settings)) git(at, "config", "--unset", name);
  rmSync(path.join(at, ".git", "hooks"), { recursive: true });
  // A commit of the agent moves along, and so does what it deleted.
  git(at, "switch", "-qc", "topic");
  git(at, "commit", "-qam", "two");
  rmSync(path.join(at, "new.txt"));
  writeFileSync(path.join(at, "late.txt"), "late\n");
  const { saved } = await one.save(thread, source, first.saved);
  writeFileSync(path.join(at, "a.txt"), "of a turn that never ended\n");

  const there = await two.open(thread, source, saved);
  const files = (where: string): string[] =>
    ["a.txt", "new.txt", "late.txt", "ignored"].filter((name) => existsSync(path.join(where, name)));
  assert.deepEqual(files(there), ["a.txt", "late.txt"]);
  assert.equal(readFileSync(path.join(there, "a.txt"), "utf8"), "second\n");
  assert.equal(git(there, "log", "--format=%s %D", "-1"), "two HEAD -> topic");
  assert.match(git(there, "status", "--porcelain"), /^\?\? \.gitattributes\n\?\? late\.txt$/);
  // The first worker was taken for dead, and had pushed once more: what the new one saves counts.
  writeFileSync(path.join(at, "zombie.txt"), "x");
  await one.save(thread, source, saved);
  writeFileSync(path.join(there, "later.txt"), "later\n");
  const next = await two.save(thread, source, saved);
  const back = await one.open(thread, source, next.saved);
  assert.ok(existsSync(path.join(back, "later.txt")) && !existsSync(path.join(back, "zombie.txt")));
  // It has these files already: what was done here since stays.
  writeFileSync(path.join(back, "mine.txt"), "x");
  assert.equal(await one.open(thread, source, next.saved), back);
  assert.ok(existsSync(path.join(back, "mine.txt")));
  const beside = await one.open(other, source, undefined);
  assert.ok(!existsSync(path.join(beside, "late.txt")));
  await one.remove(thread);
  assert.ok(!existsSync(back) && existsSync(beside));
});

test("a read-only repository keeps its files elsewhere; tags and commits are found; a broken place is told in words", {
  skip: noGit,
}, async (t) => {
  const { folder, url, worker, git } = place(t);
  const [one, two] = [worker("one"), worker("two")];
  const snapshots = path.join(folder, "kept.git");
  git(folder, "init", "-q", "--bare", snapshots);
  const source = { url, ref: "v1", snapshots };
  const at = await one.open(thread, source, undefined);
  assert.equal(git(at, "status", "--porcelain", "--branch"), "## HEAD (no branch)");
  writeFileSync(path.join(at, "x.txt"), "x\n");
  git(at, "init", "-q", "inner");
  writeFileSync(path.join(at, "inner", "y"), "y");
  const { saved, warning } = await one.save(thread, source, undefined);
  assert.match(warning ?? "", /inner/);
  assert.equal(git(url, "for-each-ref", "refs/parley"), "");
  assert.ok(existsSync(path.join(await two.open(thread, source, saved), "x.txt")));
  const sha = git(url, "rev-parse", "main");
  for (const ref of [sha, sha.slice(0, 10), "refs/heads/main", "refs/tags/v1", null])
    assert.equal(git(await two.open(other, { url, ref, snapshots: null }, undefined), "rev-parse", "HEAD"), sha, String(ref));
  const refusal =
    (pattern: RegExp) =>
    (error: unknown): boolean =>
      error instanceof RepositoryRefusal && pattern.test(error.message);
  await two.remove(other);
  await assert.rejects(two.open(other, { url, ref: "nowhere", snapshots: null }, undefined), refusal(/no branch, tag or commit 'nowhere'/));
  await assert.rejects(
    two.open(other, { url: `${url}x`, ref: null, snapshots: null }, undefined),
    refusal(/could not be checked out: .*not appear to be a git repository/),
  );
  const empty = path.join(folder, "empty.git");
  git(folder, "init", "-q", "--bare", empty);
  await assert.rejects(two.open(other, { url: empty, ref: null, snapshots: null }, undefined), refusal(/no commit yet/));
  const gone: SavedFiles = { commit: `${"0".repeat(39)}1`, head: sha, branch: null };
  await assert.rejects(two.open(other, source, gone), refusal(/could not be checked out/));
  rmSync(path.join(at, ".git"), { recursive: true });
  await assert.rejects(one.save(thread, source, saved), refusal(/gone, or no repository/));
  await assert.rejects(two.open("../../etc", source, undefined), refusal(/not a thread's id/));
});

test("only addresses that name a repository and nothing else are taken", (t) => {
  const { sourceIn } = place(t).worker("one");
  const good = ["https://host/a.git", "ssh://git@host:22/a", "git@host:a/b.git", "/srv/a.git", "file:///srv/a.git"];
  for (const url of good) assert.equal(sourceIn({ fleet: { git: url } })?.url, url);
  const bad = [
    "ext::sh -c id",
    "ext::id",
    "--upload-pack=id",
    "-x",
    "ssh://-oProxyCommand=id/x",
    "git@-oX:a",
    "a@b:-x",
    "http://h/a",
    "git://h/a",
    "https://h/a\nb",
    "https://u:secret@h/a",
    "relative/path",
    "c:\\x",
    "https://",
    "x".repeat(3000),
  ];
  for (const url of bad)
    assert.throws(
      () => sourceIn({ "fleet.git": url }),
      (error) => error instanceof RepositoryRefusal && /^fleet\.git: /.test(error.message),
      url,
    );
  for (const ref of ["-x", "a..b/../c", "a b", "", "a\0", 7])
    assert.throws(() => sourceIn({ "fleet.git": "/a", "fleet.ref": ref }), /fleet\.ref/);
  assert.throws(() => sourceIn({ "fleet.ref": "main" }), /fleet\.git, which is missing/);
  assert.throws(() => sourceIn({ "fleet.git": "/a", "fleet.snapshots": "ext::id" }), /fleet\.snapshots/);
  assert.equal(sourceIn({ model: "x" }), undefined);
});
