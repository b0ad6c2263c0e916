/** Random edits, written as a patch in our grammar and as unified diffs, produce the same tree by our code and by `git apply`. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { unifiedDiff } from "../../lib/diff.ts";
import { createWorkspace } from "../../workspace/workspace.ts";
import { fileDiff, TurnFiles } from "../edit/turn-diff.ts";
import { applyPlan } from "./apply.ts";
import { planPatch } from "./plan.ts";
import type { WriteScope } from "./reach.ts";

const workspace = createWorkspace();
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
let root = "";
before(() => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "git-apply-")));
});
after(() => rmSync(root, { recursive: true, force: true }));

type Tree = Record<string, string>;
interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly add: readonly string[];
}
type Change = { readonly op: "keep" | "delete" } | { readonly op: "edit"; readonly edits: readonly Edit[]; readonly move: boolean };
interface Case {
  readonly files: readonly {
    readonly lines: readonly string[];
    readonly ending: string;
    readonly isOpen: boolean;
    readonly change: Change;
  }[];
  readonly added: readonly (readonly string[])[];
}

const line = fc
  .oneof(fc.constantFrom("", "  indented", "\ttab", "+plus", "-minus", "@@ at", "*** stars", "é ü – “q”"), fc.string({ maxLength: 12 }))
  .map((s) => s.replace(/[\r\n\0]/g, "."));
const edit = fc.record({ at: fc.nat(40), remove: fc.nat(3), add: fc.array(line, { maxLength: 3 }) });
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.constantFrom<Change>({ op: "keep" }, { op: "delete" }),
  fc.record({ op: fc.constant("edit" as const), edits: fc.array(edit, { minLength: 1, maxLength: 4 }), move: fc.boolean() }),
  fc.record({ op: fc.constant("edit" as const), edits: fc.array(edit, { minLength: 1, maxLength: 4 }), move: fc.boolean() }),
);
const aCase: fc.Arbitrary<Case> = fc.record({
  files: fc.array(
    fc.record({ lines: fc.array(line, { maxLength: 40 }), ending: fc.constantFrom("\n", "\n", "\r\n"), isOpen: fc.boolean(), change }),
    { minLength: 1, maxLength: 4 },
  ),
  added: fc.array(fc.array(line, { minLength: 1, maxLength: 6 }), { maxLength: 2 }),
});

/** Every line of a file is unique, so that both tools find the same position. */
const unlike = (lines: readonly string[]): string[] =>
  lines.map((text, i) => (text === "" ? "" : `${text} #${i}`)).map((t, i) => (t === "" ? `#${i}` : t));

/** The edits, in order and apart from each other, as `[from, removed, added]` over the original lines. */
function apart(lines: readonly string[], edits: readonly Edit[]): Edit[] {
  const out: Edit[] = [];
  let from = 0;
  for (const e of [...edits].sort((a, b) => a.at - b.at)) {
    const at = Math.max(from, Math.min(e.at, lines.length));
    const remove = Math.min(e.remove, lines.length - at);
    if (at > lines.length || remove + e.add.length === 0 || (out.length > 0 && at === from)) continue;
    out.push({ at, remove, add: e.add.map((text, i) => `new ${at}.${i} ${text}`) });
    from = at + remove + 1;
  }
  return out;
}

const text = (lines: readonly string[], ending: string, isOpen: boolean): string =>
  lines.join(ending) + (lines.length === 0 || isOpen ? "" : ending);

interface Written {
  readonly before: Tree;
  readonly after: Tree;
  readonly patch: string;
  readonly moves: readonly (readonly [string, string])[];
}

function write(c: Case): Written {
  const [beforeTree, afterTree]: [Tree, Tree] = [{}, {}];
  const moves: [string, string][] = [];
  let patch = "";
  for (const [i, file] of c.files.entries()) {
    const name = `dir ${i % 2}/file-${i}.txt`;
    const lines = unlike(file.lines);
    const isOpen = file.isOpen && lines.length > 0;
    beforeTree[name] = text(lines, file.ending, isOpen);
    if (file.change.op === "keep") afterTree[name] = beforeTree[name] ?? "";
    if (file.change.op === "delete") patch += `*** Delete File: ${name}\n`;
    if (file.change.op !== "edit") continue;
    const edits = apart(lines, file.change.edits);
    const target = file.change.move ? `moved/${i}.txt` : name;
    if (edits.length === 0) {
      afterTree[name] = beforeTree[name] ?? "";
      continue;
    }
    patch += `*** Update File: ${name}\n`;
    if (target !== name) {
      patch += `*** Move to: ${target}\n`;
      moves.push([name, target]);
    }
    const out: string[] = [];
    let from = 0;
    for (const e of edits) {
      out.push(...lines.slice(from, e.at), ...e.add);
      patch += chunk(lines, e);
      from = e.at + e.remove;
    }
    out.push(...lines.slice(from));
    // The last line gets a line break exactly when it was replaced or something follows it.
    const keepsEnd = from < lines.length;
    afterTree[target] = text(out, file.ending === "\r\n" && lines.length - (isOpen ? 1 : 0) > 0 ? "\r\n" : "\n", isOpen && keepsEnd);
  }
  for (const [i, lines] of c.added.entries()) {
    patch += `*** Add File: added/${i}.txt\n${lines.map((l) => `+${l}\n`).join("")}`;
    afterTree[`added/${i}.txt`] = text(lines, "\n", false);
  }
  return { before: beforeTree, after: afterTree, patch: `*** Begin Patch\n${patch}*** End Patch\n`, moves };
}

/** One line of context on each side where there is one; a chunk at the end of the file says so. */
function chunk(lines: readonly string[], e: Edit): string {
  const above = lines.slice(Math.max(0, e.at - 1), e.at);
  const below = lines.slice(e.at + e.remove, e.at + e.remove + 1);
  const atEnd = e.at + e.remove >= lines.length;
  const body = [
    ...above.map((l) => ` ${l}`),
    ...lines.slice(e.at, e.at + e.remove).map((l) => `-${l}`),
    ...e.add.map((l) => `+${l}`),
    ...below.map((l) => ` ${l}`),
  ];
  return `@@\n${body.map((l) => `${l}\n`).join("")}${atEnd ? "*** End of File\n" : ""}`;
}

function put(folder: string, tree: Tree): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(tree)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
}
function take(folder: string): Tree {
  const tree: Tree = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    if (statSync(path.join(folder, name)).isFile()) tree[name] = readFileSync(path.join(folder, name), "utf8");
  return tree;
}

async function gitPatch({ before: old, after: young, moves }: Written): Promise<string> {
  const file = (content: string | undefined) =>
    content === undefined ? ({ kind: "absent" } as const) : ({ kind: "file", bytes: Buffer.from(content), mode: 0o644 } as const);
  const moved = new Map(moves);
  let out = "";
  for (const name of Object.keys(old)) {
    const to = moved.get(name) ?? name;
    if (to !== name || young[name] !== old[name]) out += await fileDiff(name, to, file(old[name]), file(young[to]));
  }
  const targets = new Set(moves.map(([, to]) => to));
  for (const name of Object.keys(young))
    if (old[name] === undefined && !targets.has(name)) out += await fileDiff(name, name, file(undefined), file(young[name]));
  return out;
}

function gitApply(folder: string, diff: string): void {
  if (diff === "") return;
  const env = { PATH: process.env["PATH"] ?? "", GIT_CEILING_DIRECTORIES: root, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const done = spawnSync("git", ["apply", "--whitespace=nowarn", "-"], { cwd: folder, input: diff, env, encoding: "utf8" });
  assert.equal(done.status, 0, `${done.stderr}\n${diff}`);
}

test("our code and git apply produce the same tree, and git accepts the turn's diff", async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(aCase, async (c) => {
      const written = write(c);
      if (written.patch === "*** Begin Patch\n*** End Patch\n") return;
      const [ours, theirs, again] = ["ours", "git", "again"].map((name) => path.join(root, `${name}-${run}`));
      run++;
      assert.ok(ours !== undefined && theirs !== undefined && again !== undefined);
      for (const folder of [ours, theirs, again]) put(folder, written.before);
      const scope: WriteScope = { everywhere: false, roots: [ours], sessionRoots: [{ named: ours, real: ours }], closed: [], sealed: [] };
      const plan = await planPatch(written.patch, ours, workspace, scope);
      assert.ok(!("failed" in plan), JSON.stringify(plan));
      const files = new TurnFiles({ threadId: "t", turnId: "u" }, ours, { workspace, undo: undefined, log: silent });
      const applied = await applyPlan(plan, workspace, files);
      assert.ok(applied.ok, JSON.stringify(applied));
      gitApply(theirs, await gitPatch(written));
      gitApply(again, await files.diff());
      assert.deepEqual(take(ours), written.after);
      assert.deepEqual(take(theirs), written.after);
      assert.deepEqual(take(again), written.after);
      for (const folder of [ours, theirs, again]) rmSync(folder, { recursive: true });
    }),
    { numRuns: 60 },
  );
});

test("a diff too large to be minimal is still correct", async () => {
  const old = Array.from({ length: 9000 }, (_, i) => `a${i}\n`).join("");
  const young = `head\n${Array.from({ length: 9000 }, (_, i) => `b${i * 7}\n`).join("")}`;
  const folder = path.join(root, "large");
  put(folder, { f: `same\n${old}tail\n` });
  const diff = await unifiedDiff(`same\n${old}tail\n`, `same\n${young}tail\n`, 3);
  gitApply(folder, `diff --git a/f b/f\n--- a/f\n+++ b/f\n${diff}`);
  assert.equal(take(folder)["f"], `same\n${young}tail\n`);
});
