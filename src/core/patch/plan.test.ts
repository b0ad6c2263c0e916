import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import type { SandboxPolicy } from "../../protocol/policy.ts";
import { createWorkspace } from "../../workspace/workspace.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import { applyPlan, type BeforeImages } from "./apply.ts";
import { decidePatch, type PatchPlan, planPatch, reachOf } from "./plan.ts";
import { isProtectedName, standingOf, type WriteScope, writeScope } from "./reach.ts";

const workspace = createWorkspace();
const workspaceWrite: SandboxPolicy = { type: "workspaceWrite", excludeSlashTmp: true, excludeTmpdirEnvVar: true };
const nothingKept: BeforeImages = {
  changing: async () => undefined,
  changed: () => undefined,
  notChanged: async () => undefined,
  made: async () => undefined,
  moved: () => undefined,
};

interface Place {
  readonly ws: string;
  readonly outside: string;
  readonly scope: WriteScope;
  file(name: string, text?: string): string | undefined;
  plan(body: string, cwd?: string): Promise<PatchPlan>;
  failure(body: string): Promise<string>;
  run(body: string): ReturnType<typeof applyPlan>;
}

async function place(t: TestContext, sandboxPolicy: SandboxPolicy = workspaceWrite): Promise<Place> {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "patch-")));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const ws = path.join(root, "ws");
  const outside = path.join(root, "outside");
  for (const folder of [ws, outside, path.join(root, "home")]) mkdirSync(folder);
  const settings = { cwd: ws, workspaceRoots: [ws], sandboxPolicy } as unknown as ThreadSettings;
  const scope = await writeScope(settings, { codexHome: path.join(root, "home"), tmpdir: undefined }, workspace);
  const tryPlan = (body: string, cwd = ws) => planPatch(`*** Begin Patch\n${body}\n*** End Patch`, cwd, workspace, scope);
  const plan = async (body: string, cwd?: string): Promise<PatchPlan> => {
    const planned = await tryPlan(body, cwd);
    assert.ok(!("failed" in planned), JSON.stringify(planned));
    return planned;
  };
  return {
    ws,
    outside,
    scope,
    file(name, text) {
      const file = path.resolve(ws, name);
      if (text === undefined) return existsSync(file) ? readFileSync(file, "utf8") : undefined;
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
      return text;
    },
    plan,
    async failure(body) {
      const planned = await tryPlan(body);
      assert.ok("failed" in planned, JSON.stringify(planned));
      return planned.failed;
    },
    run: async (body) => await applyPlan(await plan(body), workspace, nothingKept),
  };
}

test("the plan has the wire's shape, sorted, and writes nothing; applying does what it says", async (t) => {
  const p = await place(t);
  p.file("changed.txt", "keep\nold line\n");
  p.file("doomed.txt", "bye\n");
  p.file("before.txt", "alpha\n");
  const plan = await p.plan(
    "*** Add File: added.txt\n+brand new\n*** Update File: changed.txt\n@@\n keep\n-old line\n+new line\n*** Delete File: doomed.txt\n*** Update File: before.txt\n*** Move to: after.txt\n@@\n-alpha\n+beta",
  );
  assert.deepEqual(plan.changes, [
    { path: `${p.ws}/added.txt`, kind: { type: "add" }, diff: "brand new\n" },
    {
      path: `${p.ws}/before.txt`,
      kind: { type: "update", move_path: `${p.ws}/after.txt` },
      diff: `@@ -1 +1 @@\n-alpha\n+beta\n\n\nMoved to: ${p.ws}/after.txt`,
    },
    { path: `${p.ws}/changed.txt`, kind: { type: "update", move_path: null }, diff: "@@ -1,2 +1,2 @@\n keep\n-old line\n+new line\n" },
    { path: `${p.ws}/doomed.txt`, kind: { type: "delete" }, diff: "bye\n" },
  ]);
  assert.equal(p.file("added.txt"), undefined);
  const applied = await applyPlan(plan, workspace, nothingKept);
  assert.deepEqual(applied, {
    ok: true,
    stdout: "Success. Updated the following files:\nA added.txt\nM changed.txt\nM after.txt\nD doomed.txt\n",
  });
  assert.deepEqual(
    ["added.txt", "changed.txt", "doomed.txt", "before.txt", "after.txt"].map((name) => p.file(name)),
    ["brand new\n", "keep\nnew line\n", undefined, undefined, "beta\n"],
  );
});

test("an item's diff shows one line around the change", async (t) => {
  const p = await place(t);
  p.file("a", "0\n1\n2\n3\n4\n5\n6\n");
  assert.equal((await p.plan("*** Update File: a\n@@\n-3\n+x")).changes[0]?.diff, "@@ -3,3 +3,3 @@\n 2\n-3\n+x\n 4\n");
});

test("several hunks for one file build on each other", async (t) => {
  const p = await place(t);
  p.file("a", "x\ny\n");
  const plan = await p.plan(
    "*** Update File: a\n@@\n-x\n+X\n*** Update File: a\n@@\n-y\n+Y\n*** Add File: n\n+1\n*** Update File: n\n@@\n-1\n+2",
  );
  assert.deepEqual(
    plan.changes.map((c) => [c.kind.type, c.diff]),
    [
      ["update", "@@ -1,2 +1,2 @@\n-x\n-y\n+X\n+Y\n"],
      ["add", "2\n"],
    ],
  );
  assert.ok((await applyPlan(plan, workspace, nothingKept)).ok);
  assert.deepEqual([p.file("a"), p.file("n")], ["X\nY\n", "2\n"]);
});

test("a change that does not match is reported before anything is shown or written", async (t) => {
  const p = await place(t);
  p.file("a", "x\n");
  p.file("folder/x", "");
  writeFileSync(path.join(p.ws, "binary"), Buffer.from([0xff, 0x0a, 0x41, 0x0a]));
  const starts = "apply_patch verification failed: ";
  assert.equal(await p.failure("*** Update File: a\n@@\n-q\n+b"), `${starts}Failed to find expected lines in ${p.ws}/a:\nq`);
  assert.equal(
    await p.failure("*** Update File: no\n@@\n-q\n+b"),
    `${starts}Failed to read file to update ${p.ws}/no: No such file or directory`,
  );
  assert.equal(await p.failure("*** Delete File: no"), `${starts}Failed to read ${p.ws}/no: No such file or directory`);
  assert.match(await p.failure("*** Delete File: folder"), /it is a folder, not a file/);
  assert.match(await p.failure("*** Add File: folder\n+x"), /it is a folder/);
  assert.match(await p.failure("*** Add File: a/b/c\n+x"), /\/a is not a folder/);
  assert.match(await p.failure("*** Update File: binary\n@@\n-A\n+B"), /not UTF-8/);
  assert.match(await p.failure(`*** Add File: ${"n".repeat(5000)}\n+x`), /longer than/);
  assert.match(await p.failure("*** Add File: a\0b\n+x"), /NUL/);
  assert.equal(await p.failure(""), "patch rejected: empty patch");
  assert.match(await p.failure("nonsense"), /^apply_patch verification failed: invalid hunk at line 2/);
});

test("a failure half-way restores everything", async (t) => {
  const p = await place(t);
  p.file("a", "x\n");
  p.file("b", "1\n");
  const plan = await p.plan("*** Add File: new/deep/n\n+x\n*** Update File: a\n@@\n-x\n+y\n*** Update File: b\n@@\n-1\n+2");
  p.file("b", "user edit\n");
  const applied = await applyPlan(plan, workspace, nothingKept);
  assert.ok(!applied.ok && applied.failed.includes("changed by someone else"), JSON.stringify(applied));
  assert.deepEqual([p.file("a"), p.file("b"), existsSync(path.join(p.ws, "new"))], ["x\n", "user edit\n", false]);
});

test("a file that appears or disappears meanwhile is left alone", async (t) => {
  const p = await place(t);
  p.file("gone", "x\n");
  const adding = await p.plan("*** Add File: fresh\n+mine");
  const deleting = await p.plan("*** Delete File: gone");
  p.file("fresh", "theirs\n");
  rmSync(path.join(p.ws, "gone"));
  assert.equal((await applyPlan(adding, workspace, nothingKept)).ok, false);
  assert.equal((await applyPlan(deleting, workspace, nothingKept)).ok, false);
  assert.equal(p.file("fresh"), "theirs\n");
});

test("modes are kept, also by a move", async (t) => {
  const p = await place(t);
  p.file("tool", "x\n");
  chmodSync(path.join(p.ws, "tool"), 0o750);
  assert.ok((await p.run("*** Update File: tool\n@@\n-x\n+y")).ok);
  assert.equal(statSync(path.join(p.ws, "tool")).mode & 0o777, 0o750);
  assert.ok((await p.run("*** Update File: tool\n*** Move to: bin/tool\n@@\n-y\n+z")).ok);
  assert.equal(statSync(path.join(p.ws, "bin/tool")).mode & 0o777, 0o750);
  assert.equal(p.file("tool"), undefined);
});

test("links inside the workspace are followed to the file that is edited; links out of it are refused", async (t) => {
  const p = await place(t);
  p.file("AGENTS.md", "one\n");
  p.file("../outside/secret", "old\n");
  symlinkSync("AGENTS.md", path.join(p.ws, "CLAUDE.md"));
  symlinkSync(p.outside, path.join(p.ws, "dir"));
  symlinkSync(path.join(p.outside, "secret"), path.join(p.ws, "leaf"));
  symlinkSync(path.join(p.outside, "fresh"), path.join(p.ws, "dangling"));
  const plan = await p.plan("*** Update File: CLAUDE.md\n@@\n-one\n+two");
  assert.equal(plan.changes[0]?.path, `${p.ws}/AGENTS.md`);
  assert.ok((await applyPlan(plan, workspace, nothingKept)).ok);
  assert.deepEqual([p.file("AGENTS.md"), readlinkSync(path.join(p.ws, "CLAUDE.md"))], ["two\n", "AGENTS.md"]);
  for (const body of [
    "*** Add File: dir/x\n+evil",
    "*** Update File: leaf\n@@\n-old\n+evil",
    "*** Add File: leaf\n+evil",
    "*** Add File: dangling\n+evil",
    "*** Delete File: dir/secret",
    "*** Update File: dir/secret\n*** Move to: stolen\n@@\n-old\n+new",
    "*** Update File: AGENTS.md\n*** Move to: dir/moved\n@@\n-two\n+three",
  ])
    assert.match(await p.failure(body), /leads through a symbolic link/, body);
  assert.ok((await p.run("*** Delete File: leaf")).ok, "the link itself may go");
  assert.deepEqual([p.file("../outside/secret"), existsSync(path.join(p.ws, "leaf"))], ["old\n", false]);
});

test("a folder replaced with a link while the approval is pending is not followed", async (t) => {
  const p = await place(t);
  p.file("sub/f", "x\n");
  p.file("../outside/f", "x\n");
  for (const body of ["*** Update File: sub/f\n@@\n-x\n+evil", "*** Add File: sub/new\n+evil", "*** Delete File: sub/f"]) {
    const plan = await p.plan(body);
    rmSync(path.join(p.ws, "sub"), { recursive: true });
    symlinkSync(p.outside, path.join(p.ws, "sub"));
    const applied = await applyPlan(plan, workspace, nothingKept);
    assert.ok(!applied.ok && /leads to|symbolic link/.test(applied.failed), JSON.stringify(applied));
    rmSync(path.join(p.ws, "sub"));
    p.file("sub/f", "x\n");
  }
  assert.deepEqual([p.file("../outside/f"), existsSync(path.join(p.outside, "new"))], ["x\n", false]);
});

test("paths outside the workspace or protected ones are known before anybody is asked", async (t) => {
  const p = await place(t);
  p.file(".git/config", "x\n");
  p.file("../outside/victim", "old\n");
  const reach = async (body: string) => {
    const { outside, protected: closed } = reachOf(await p.plan(body), p.scope);
    return { outside, protected: closed };
  };
  assert.deepEqual(await reach("*** Add File: ok\n+x"), { outside: [], protected: [] });
  assert.deepEqual(await reach("*** Add File: ok\n+x\n*** Add File: ../outside/x\n+x"), { outside: [`${p.outside}/x`], protected: [] });
  assert.deepEqual(await reach("*** Delete File: ../outside/victim"), { outside: [`${p.outside}/victim`], protected: [] });
  for (const name of [
    ".git/hooks/x",
    "./.git/../.git/x",
    "sub/../.codex/x",
    ".GIT/x",
    "sub/.git/hooks/x",
    ".agents/skills/x",
    ".git./x",
    ".g\u200cit/x",
  ])
    assert.equal((await reach(`*** Add File: ${name}\n+x`)).protected.length, 1, name);
  const within = { outside: [], protected: [], overwrites: [], readOnly: false };
  const outside = { ...within, outside: ["/x"] };
  assert.equal(decidePatch(within, "never").kind, "apply");
  assert.equal(decidePatch(within, "untrusted").kind, "ask");
  assert.equal(decidePatch(outside, "on-request").kind, "ask");
  assert.deepEqual(decidePatch({ ...outside, overwrites: ["/x"] }, "on-request"), { kind: "ask", reason: "replaces existing files: /x" });
  assert.equal(decidePatch(outside, "never").kind, "refuse");
  const text = "patch rejected: writing is blocked by read-only sandbox; rejected by user approval settings";
  assert.deepEqual(decidePatch({ ...outside, readOnly: true }, "never"), { kind: "refuse", text });
  const granular = { mcp_elicitations: true, rules: true, sandbox_approval: false };
  assert.equal(decidePatch(outside, { granular }).kind, "refuse");
});

test("read-only leaves nothing writable, full access everything", async (t) => {
  const readOnly = await place(t, { type: "readOnly" });
  assert.equal(standingOf(path.join(readOnly.ws, "a"), readOnly.scope), "outside");
  const full = await place(t, { type: "dangerFullAccess" });
  assert.equal(standingOf("/etc/passwd", full.scope), "writable");
});

test("the git folder of a worktree and the server's home are protected inside a root", async (t) => {
  const p = await place(t, { ...workspaceWrite, writableRoots: [] });
  p.file(".git", `gitdir: ${p.ws}/elsewhere/repo\n`);
  const settings = { cwd: p.ws, workspaceRoots: [p.ws], sandboxPolicy: workspaceWrite } as unknown as ThreadSettings;
  const scope = await writeScope(settings, { codexHome: path.join(p.ws, "home"), tmpdir: undefined }, workspace);
  assert.equal(standingOf(path.join(p.ws, "elsewhere/repo/hooks/x"), scope), "protected");
  assert.equal(standingOf(path.join(p.ws, "home/config.toml"), scope), "protected");
  assert.equal(standingOf(path.join(p.ws, "homely"), scope), "writable");
  const program = [path.join(p.ws, "node_modules/parley")];
  const installed = await writeScope(settings, { codexHome: path.join(p.ws, "home"), tmpdir: undefined, program }, workspace);
  assert.equal(standingOf(path.join(p.ws, "node_modules/parley/dist/parley.cjs"), installed), "protected");
  p.file("elsewhere/repo/commondir", "../shared\n");
  const shared = await writeScope(settings, { codexHome: path.join(p.ws, "home"), tmpdir: undefined }, workspace);
  assert.equal(standingOf(path.join(p.ws, "elsewhere/shared/hooks/x"), shared), "protected");
  const inner = path.join(p.ws, "home/worktrees/a");
  const inHome = { ...settings, cwd: inner, workspaceRoots: [inner] } as ThreadSettings;
  const nested = await writeScope(inHome, { codexHome: path.join(p.ws, "home"), tmpdir: undefined }, workspace);
  assert.equal(standingOf(path.join(p.ws, "home/worktrees/a/x"), nested), "writable");
  assert.equal(standingOf(path.join(p.ws, "home/auth.json"), nested), "outside");
});

test("a protected name that is a link protects its target, and a link's name counts at any depth", async (t) => {
  const p = await place(t);
  p.file("repo.git/config", "x\n");
  p.file("sub/store/config", "x\n");
  symlinkSync("repo.git", path.join(p.ws, ".git"));
  symlinkSync("store", path.join(p.ws, "sub/.git"));
  symlinkSync(".codex", path.join(p.ws, ".codex"));
  const settings = { cwd: p.ws, workspaceRoots: [p.ws], sandboxPolicy: workspaceWrite } as unknown as ThreadSettings;
  const scope = await writeScope(settings, { codexHome: path.join(p.ws, "x"), tmpdir: undefined }, workspace);
  for (const name of [".git/hooks/x", "repo.git/hooks/x", "sub/.git/hooks/x"]) {
    const plan = await planPatch(`*** Begin Patch\n*** Add File: ${name}\n+x\n*** End Patch`, p.ws, workspace, scope);
    assert.ok(!("failed" in plan));
    assert.equal(reachOf(plan, scope).protected.length, 1, name);
  }
  const loop = await planPatch("*** Begin Patch\n*** Add File: .codex/x\n+x\n*** End Patch", p.ws, workspace, scope);
  assert.ok("failed" in loop && loop.failed.includes("too many symbolic links"));
});

test("where the workspace is a whole home, files that run later are asked about", async (t) => {
  const p = await place(t);
  const settings = { cwd: p.ws, workspaceRoots: [p.ws], sandboxPolicy: workspaceWrite } as unknown as ThreadSettings;
  const scope = await writeScope(settings, { codexHome: path.join(p.ws, "x"), tmpdir: undefined, userHome: p.ws }, workspace);
  assert.equal(standingOf(path.join(p.ws, ".bashrc"), scope), "protected");
  assert.equal(standingOf(path.join(p.ws, ".ssh/authorized_keys"), scope), "protected");
  assert.equal(standingOf(path.join(p.ws, "code/.bashrc"), scope), "writable");
});

test("protected names are recognized in every spelling that a file system may treat as equal", () => {
  for (const name of [".git", ".GIT", ".git ", ".git...", ".git::$INDEX_ALLOCATION", "GIT~1", ".c\u200dodex", ".Agents", "\uff0egit"])
    assert.ok(isProtectedName(name), JSON.stringify(name));
  for (const name of ["git", ".gitignore", ".github", "a.git", ".codexrc", "agents"]) assert.ok(!isProtectedName(name), name);
});
