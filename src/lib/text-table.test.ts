import assert from "node:assert/strict";
import { test } from "node:test";
import { fuzzyScore, haystack, words } from "./fuzzy.ts";
import { type Candidates, type Matches, TextTable } from "./text-table.ts";

const never = (): undefined => undefined;

/** Names that differ as those of real projects do; always the same. */
function names(count: number): string[] {
  const parts = ["src", "core", "Widget", "factory", "http", "index", "utils", "main", "test", "readme", "user_store", "größe", "x2"];
  let seed = 7;
  const next = (below: number): number => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * below);
  };
  return Array.from({ length: count }, (_, i) => {
    const depth = 1 + next(5);
    const way = Array.from({ length: depth }, () => parts[next(parts.length)] ?? "");
    return `${way.join(next(4) === 0 ? "-" : "/")}/${parts[next(parts.length)]}${i}.ts`;
  });
}

test("the candidates hold what an exact score of all texts finds best", async () => {
  const texts = names(6000);
  const table = new TextTable();
  for (const text of texts) table.add(text);
  for (const query of [["w"], ["wf"], ["widget"], ["srcindex"], ["httpmain"], ["core", "12"], ["größe"], ["x2t"], ["user_store99"]]) {
    const { matches, best } = await table.candidates(query, 300, never);
    const exact = texts
      .flatMap((text, at) => {
        const score = fuzzyScore(query, haystack(text));
        return score === undefined ? [] : [{ at, text, score }];
      })
      .sort((a, b) => b.score - a.score || (a.text < b.text ? -1 : 1));
    assert.deepEqual(
      [...matches.at.subarray(0, matches.count)],
      exact.map(({ at }) => at).sort((a, b) => a - b),
      `${query}: the same texts match`,
    );
    const wanted = exact.slice(0, 30);
    const scores = best.map((at) => fuzzyScore(query, haystack(table.textAt(at))) ?? 0).sort((a, b) => b - a);
    assert.deepEqual(
      scores.slice(0, 30),
      wanted.map(({ score }) => score),
      `${query}: as good as the best`,
    );
  }
});

test("a longer query looks only at what the shorter one matched, and equal scores count by their texts", async () => {
  const table = new TextTable();
  for (let i = 999; i >= 0; i--) table.add(`folder/file-${String(i).padStart(3, "0")}`);
  const all = await table.candidates(["file"], 10, never);
  assert.equal(all.matches.count, 1000);
  assert.deepEqual(
    all.best
      .map((at) => table.textAt(at))
      .sort()
      .slice(0, 3),
    ["folder/file-000", "folder/file-001", "folder/file-002"],
  );
  const some = { ...all.matches, count: 500 };
  const { matches } = await table.candidates(["file-77"], 100, never, some);
  const last = some.at[some.count - 1] ?? 0;
  assert.ok(matches.count > 0 && [...matches.at.subarray(0, matches.count)].every((at) => at <= last));
});

test("a query typed letter by letter finds what it finds at once", async () => {
  const table = new TextTable();
  for (const text of [...names(3000), `${"x".repeat(0x10010)}srcindex`, "src/index", "my-src:index"]) table.add(text);
  const found = ({ matches, best }: Candidates): unknown => [[...matches.at.subarray(0, matches.count)], best];
  for (const typed of ["srcindex12", "größe-x", "src test", "ma\ud83d\ude00"]) {
    let before: Matches | undefined;
    for (let length = 1; length <= typed.length; length++) {
      const query = words(typed.slice(0, length));
      const next = await table.candidates(query, 50, never, before);
      assert.deepEqual(found(next), found(await table.candidates(query, 50, never)), query.join(" "));
      before = next.matches;
    }
  }
});
