/** One diff for a whole session: regardless of patches, moves, deletions and re-creations, it leads from the first state to the last. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { applyPatch, parsePatch } from "diff";
import fc from "fast-check";
import { unifiedDiff } from "../lib/diff.ts";
import type { FileUpdateChange } from "../protocol/item.ts";
import type { Turn } from "../protocol/turn.ts";
import { diffOfSession, type KeptFile } from "./session-diff.ts";

type Disk = Map<string, string>;

function turnOf(id: string, changes: readonly FileUpdateChange[]): Turn {
  return { id, status: "completed", items: [{ type: "fileChange", id: `i-${id}`, status: "completed", changes: [...changes] }] };
}
const update = async (path: string, before: string, after: string): Promise<FileUpdateChange> => ({
  path,
  kind: { type: "update", move_path: null },
  diff: await unifiedDiff(before, after, 1),
});
const diffOf = (turns: readonly Turn[], disk: Disk, turnId?: string) =>
  diffOfSession({
    turns,
    turnId,
    cwd: "/project",
    kept: () => [],
    read: async (path) => {
      const text = disk.get(path);
      return text === undefined ? undefined : Buffer.from(text);
    },
  });

/** Applies the diff to the first state, as git would. */
function applied(first: Disk, diff: string): Disk {
  const disk = new Map(first);
  for (const file of diff.split(/^(?=diff --git )/m).filter((part) => part !== "")) {
    const [, from = "", to = ""] = /^diff --git a\/(\S+) b\/(\S+)\n/.exec(file) ?? [];
    const old = disk.get(`/project/${from}`) ?? "";
    disk.delete(`/project/${from}`);
    if (/^deleted file mode/m.test(file)) continue;
    const at = file.search(/^--- /m);
    const [patch] = at === -1 ? [] : parsePatch(file.slice(at));
    const text = patch === undefined ? old : applyPatch(old, patch);
    assert.notEqual(text, false, `does not apply:\n${file}\nto:\n${old}`);
    disk.set(`/project/${to}`, String(text));
  }
  return disk;
}

const line = fc.constantFrom("alpha", "beta", "gamma", "delta", "", "}", "same", "same");
const text = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.boolean())
  .map(([lines, ends]) => lines.join("\n") + (ends && lines.length > 0 ? "\n" : ""));
const place = fc.constantFrom("a", "b", "c", "d").map((n) => `/project/${n}`);
const step = fc.oneof(
  fc.record({ do: fc.constant("write" as const), at: place, text }),
  fc.record({ do: fc.constant("delete" as const), at: place }),
  fc.record({ do: fc.constant("move" as const), at: place, to: place, text }),
);

test("for any history the session's diff turns the first state into the last, and a turn's diff its own part", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(place, text),
      fc.array(fc.array(step, { maxLength: 3 }), { minLength: 1, maxLength: 5 }),
      async (start, history) => {
        const disk: Disk = new Map(Object.entries(start));
        const first = new Map(disk);
        const turns: Turn[] = [];
        let last: { id: string; before: Disk } | undefined;
        for (const [n, steps] of history.entries()) {
          const before = new Map(disk);
          const changes: FileUpdateChange[] = [];
          for (const one of steps) {
            const old = disk.get(one.at);
            if (one.do === "write" && old === undefined) changes.push({ path: one.at, kind: { type: "add" }, diff: one.text });
            else if (one.do === "write" && old !== undefined) changes.push(await update(one.at, old, one.text));
            else if (old === undefined) continue;
            else if (one.do === "delete") changes.push({ path: one.at, kind: { type: "delete" }, diff: old });
            else if (one.do === "move") {
              if (disk.has(one.to)) continue;
              const diff = `${await unifiedDiff(old, one.text, 1)}\n\nMoved to: ${one.to}`;
              changes.push({ path: one.at, kind: { type: "update", move_path: one.to }, diff });
            }
            if (one.do !== "write") disk.delete(one.at);
            if (one.do === "write") disk.set(one.at, one.text);
            if (one.do === "move") disk.set(one.to, one.text);
          }
          turns.push(turnOf(`t-${n}`, changes));
          if (changes.length > 0) last = { id: `t-${n}`, before };
        }
        const whole = await diffOf(turns, disk);
        assert.deepEqual(whole.inexact, []);
        assert.deepEqual(new Map([...applied(first, whole.diff)].sort()), new Map([...disk].sort()));
        if (last === undefined) return assert.equal(whole.diff, "");
        const own = await diffOf(turns, disk, last.id);
        assert.deepEqual(new Map([...applied(last.before, own.diff)].sort()), new Map([...disk].sort()));
      },
    ),
    { numRuns: 150 },
  );
});

const numbered = (from: number, to: number): string => Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}\n`).join("");

test("three turns on one file are one diff without reverted changes", async () => {
  const states = ["one\ntwo\nthree\n", "one\n2\nthree\n", "one\n2\nthree\nfour\n", "one\ntwo\nthree\nfour\n"] as const;
  const turns = await Promise.all(
    [0, 1, 2].map(async (n) => turnOf(`t-${n}`, [await update("/project/a", states[n] ?? "", states[n + 1] ?? "")])),
  );
  const { diff } = await diffOf(turns, new Map([["/project/a", states[3]]]));
  assert.deepEqual(diff.match(/^[+-][^+-].*$/gm), ["+four"]);
  assert.equal(diff.match(/^diff --git/gm)?.length, 1);
});

test("a file that was created and deleted again is not in the diff", async () => {
  const turns = [
    turnOf("1", [{ path: "/project/a", kind: { type: "add" }, diff: "x\n" }]),
    turnOf("2", [{ path: "/project/a", kind: { type: "delete" }, diff: "x\n" }]),
  ];
  assert.deepEqual(await diffOf(turns, new Map()), { diff: "", inexact: [], truncated: false });
});

test("lines that a person changed elsewhere in the file are not shown as the session's", async () => {
  const before = numbered(1, 30);
  const patched = before.replace("line 20\n", "line twenty\n");
  const now = `a person's line\n${patched}`;
  const { diff, inexact } = await diffOf([turnOf("1", [await update("/project/a", before, patched)])], new Map([["/project/a", now]]));
  assert.deepEqual(inexact, []);
  assert.deepEqual(diff.match(/^[+-][^+-].*$/gm), ["-line 20", "+line twenty"]);
});

test("if the lines of a patch were changed since, the file is shown patch by patch and marked as inexact", async () => {
  const turns = [turnOf("1", [await update("/project/a", "one\n", "two\n")])];
  const { diff, inexact } = await diffOf(turns, new Map([["/project/a", "three\n"]]));
  assert.deepEqual(inexact, ["a"]);
  assert.match(diff, /^-one\n\+two$/m);
});

test("relative names, declined patches, and files that cannot be read as text", async () => {
  const declined: Turn = {
    id: "0",
    status: "completed",
    items: [{ type: "fileChange", id: "d", status: "declined", changes: [{ path: "x", kind: { type: "add" }, diff: "no\n" }] }],
  };
  const turns = [
    declined,
    turnOf("1", [await update("sub/a", "one\n", "two\n"), { path: "pic", kind: { type: "add" }, diff: "(binary file, 2 bytes)\n" }]),
  ];
  const { diff, inexact } = await diffOf(
    turns,
    new Map([
      ["/project/sub/a", "two\n"],
      ["/project/pic", "\0\0"],
    ]),
  );
  assert.match(diff, /^diff --git a\/sub\/a b\/sub\/a$/m);
  assert.deepEqual(inexact, ["pic"]);
  assert.doesNotMatch(diff, /a\/x /);
});

test("changes made by commands are shown too, from the engine's stored files, and later turns are reverted first", async () => {
  const turn = (id: string): Turn => ({ id, status: "completed", items: [] });
  const file = (text: string) => ({ type: "file" as const, dataBase64: Buffer.from(text).toString("base64") });
  const kept: Record<string, KeptFile[]> = {
    first: [
      { path: "/project/a.txt", before: file("one\n") },
      { path: "/project/new.txt", before: { type: "absent" } },
      { path: "/project/picture", before: { type: "notKept" } },
    ],
    second: [{ path: "/project/a.txt", before: file("two\n") }],
  };
  const now: Record<string, string> = { "/project/a.txt": "three\n", "/project/new.txt": "made\n", "/project/picture": "\0" };
  const diff = (turnId: string | undefined) =>
    diffOfSession({
      ...{ turns: [turn("first"), turn("second")], turnId, cwd: "/project" },
      kept: (id) => kept[id] ?? [],
      read: async (path) => (now[path] === undefined ? undefined : Buffer.from(now[path])),
    });
  const whole = (await diff(undefined)).diff;
  assert.match(whole, /-one\n\+three/);
  assert.match(whole, /\+made/);
  assert.match(whole, /Binary files a\/picture and b\/picture differ/);
  const first = (await diff("first")).diff;
  assert.match(first, /-one\n\+two/);
  const second = (await diff("second")).diff;
  assert.match(second, /-two\n\+three/);
  assert.doesNotMatch(second, /made/);
});
