import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { ThreadRecord } from "../../core/ports/thread-store.ts";
import { asNewThread, repairLines } from "./repair.ts";
import { readRollout } from "./rollout.ts";
import { linesOfRecord } from "./write.ts";

const id = "019a6d3c-b000-7000-8000-000000000001";
const createdMs = Date.parse("2026-11-10T12:00:00.000Z");
const known = { id, createdMs };
const at = { startedAtMs: createdMs, completedAtMs: createdMs };
const records: readonly ThreadRecord[] = [
  {
    type: "meta",
    meta: {
      id,
      createdAtMs: createdMs,
      cwd: "/ws",
      originator: "t",
      cliVersion: "1",
      source: "cli",
      modelProvider: "mock",
      baseInstructions: undefined,
    },
  },
  { type: "turnStarted", turnId: "t1", atMs: createdMs, contextWindow: undefined, mode: "default" },
  { type: "item", turnId: "t1", ...at, item: { type: "userMessage", id: "u", content: [{ type: "text", text: "hello" }] } },
  { type: "item", turnId: "t1", ...at, item: { type: "agentMessage", id: "a", text: "hi there" } },
  { type: "turnEnded", turnId: "t1", status: "completed", error: null, lastAgentMessage: "hi there", atMs: createdMs, durationMs: 5 },
];
const whole = records.map((record) => linesOfRecord(record, { threadId: id, ordinal: undefined, now: () => createdMs })).join("");
const lines = whole.trimEnd().split("\n");
const same = (repaired: readonly string[], expected: readonly string[]): void =>
  assert.deepEqual(
    repaired.map((line) => JSON.parse(line)),
    expected.map((line) => JSON.parse(line)),
  );

test("an intact file has no problems and stays unchanged", () => {
  const { lines: kept, problems } = repairLines(whole, known);
  assert.deepEqual(problems, []);
  same(kept, lines);
});

for (const [name, text, expected, problem] of [
  ["a torn last line", whole.slice(0, -30), lines.slice(0, -1), /line 5: cannot be read/],
  ["garbage in the middle", [...lines.slice(0, 2), "%%%", ...lines.slice(2)].join("\n"), lines, /line 3: cannot be read/],
  ["a block of zero bytes", `${lines[0]}\n${"\0".repeat(512)}${lines.slice(1).join("\n")}`, lines, /line 2: blocks of zero bytes/],
  [
    "a line glued to a half one",
    `${lines[0]}\n${lines[1]?.slice(0, 40)}${lines.slice(2).join("\n")}`,
    [lines[0] ?? "", ...lines.slice(2)],
    /line 2: contains 1 complete/,
  ],
  ["the first line further down", [lines[1], lines[0], ...lines.slice(2)].join("\n"), lines, /line 2: the first line was further down/],
] as const)
  test(`${name} is repaired`, () => {
    const { lines: kept, problems } = repairLines(text, known);
    same(kept, expected);
    assert.match(problems.map(({ line, what }) => `line ${line}: ${what}`).join("; "), problem);
  });

test("a missing first line is written again from what is known", () => {
  const { lines: kept, problems } = repairLines(lines.slice(1).join("\n"), known);
  assert.equal(JSON.parse(kept[0] ?? "").payload.id, id);
  assert.equal(kept.length, lines.length);
  assert.match(problems[0]?.what ?? "", /first line is missing/);
});

test("an empty file stays empty", () => {
  for (const text of ["", "\n\n", "no json at all", "\0\0\0", "[1,2]", '{"a":1}']) assert.deepEqual(repairLines(text, known).lines, []);
});

test("however a file is cut or damaged, the result reads as a thread, and complete lines are kept", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-repair-"));
  try {
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length), fc.nat(80), fc.string({ unit: "binary", maxLength: 20 }), async (from, length, noise) => {
        const damaged = whole.slice(0, from) + noise + whole.slice(from + length);
        const { lines: kept } = repairLines(damaged, known);
        const untouched = lines.filter((line) => damaged.split("\n").includes(line));
        const saved = new Set(kept.map((line) => JSON.stringify(JSON.parse(line))));
        for (const line of untouched.slice(1)) assert.ok(saved.has(JSON.stringify(JSON.parse(line))), line);
        if (kept.length === 0) return;
        const file = path.join(folder, "x.jsonl");
        writeFileSync(file, `${kept.join("\n")}\n`);
        const [meta] = await readRollout(file, async () => undefined);
        assert.equal(meta?.type === "meta" && meta.meta.id, id);
      }),
      { numRuns: 300 },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a copy is a separate thread that names its origin", () => {
  const copy = asNewThread(lines, id, "019a6d3c-b000-7000-8000-000000000002");
  const meta = JSON.parse(copy[0] ?? "").payload;
  assert.deepEqual([meta.id, meta.forked_from_id], ["019a6d3c-b000-7000-8000-000000000002", id]);
  same(copy.slice(1), lines.slice(1));
});
