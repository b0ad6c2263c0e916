/** Markdown and code that stream in: what was read piece by piece is what the whole text gives, and finished parts stay the same objects. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cutCode } from "../code/cut-code.ts";
import { advance, type Blocks } from "./blocks.ts";
import { cutRows, longestCells, partRows } from "./cut-rows.ts";
import { groupsOf } from "./groups.ts";

test("markdown read piece by piece gives the blocks of the whole text", () => {
  const piece = fc.constantFrom(
    "# Title\n",
    "text ",
    "\n\n",
    "- a\n",
    "- b\n",
    "```ts\n",
    "x\n",
    "```\n",
    "> q\n",
    "| a |\n| - |\n",
    "**b",
    "** ",
    "1. one\n",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      let blocks: Blocks | undefined;
      let text = "";
      for (const p of pieces) {
        text += p;
        blocks = advance(blocks, text);
      }
      const shape = (b: Blocks): string[] =>
        [...b.frozen, ...b.open].filter((t) => t.type !== "space").map((t) => `${t.type}:${t.raw.trim()}`);
      if (blocks !== undefined) assert.deepEqual(shape(blocks), shape(advance(undefined, text)));
    }),
  );
});

test("fences, lists and tables that grow long are read on from where they were, and give the same as the whole text", () => {
  const rows = (n: number, row: (i: number) => string): string => Array.from({ length: n }, (_, i) => row(i)).join("");
  const texts = [
    `before\n\n\`\`\`ts\n${rows(40, (i) => `const a${i} = "- x";\n\n`)}\`\`\`\nafter\n`,
    `~~~~\n${rows(20, () => "```\n~~~\n")}~~~~\n\nafter`,
    `- first\n${rows(120, (i) => `- item **${i}**\n${i % 7 === 0 ? "  - inner\n  more\n" : ""}`)}\nA paragraph after it.\n\nAnd another.\n`,
    `7. seven\n${rows(90, (i) => `1. item ${i}\n`)}`,
    `- a\n\n${rows(80, (i) => `- loose ${i}\n\n`)}***\n\nend\n`,
    `${rows(50, (i) => `* star ${i}\n`)}${rows(50, (i) => `+ plus ${i}\n`)}text\n`,
    `| a | b |\n|---|---|\n${rows(70, (i) => `| ${i} | \`c\` |\n`)}\nafter the table\n\nend\n`,
    `| a |\n|---|\n${rows(10, (i) => `| ${i} |\n`)}# Heading\n`,
  ];
  type Shape = { type: string; start?: unknown; rows?: { text: string }[][]; items?: { text: string }[]; text?: string; raw: string };
  const shape = (b: Blocks): unknown[] =>
    ([...b.frozen, ...b.open] as unknown as Shape[])
      .filter(({ type }) => type !== "space")
      .map(({ type, start, rows: own, items, text, raw }) => [
        ...[type, start, raw.trim(), items?.map((item) => item.text)],
        type === "code" ? text : own?.map((row) => row.map((cell) => cell.text)),
      ]);
  for (const text of texts)
    for (const step of [1, 7, 61]) {
      let blocks: Blocks | undefined;
      for (let length = step; length < text.length; length += step) blocks = advance(blocks, text.slice(0, length));
      assert.deepEqual(shape(advance(blocks, text)), shape(advance(undefined, text)), `${text.slice(0, 20)} in steps of ${step}`);
    }
  const numbered = advance(undefined, texts[3] ?? "");
  assert.deepEqual(
    ([...numbered.frozen, ...numbered.open] as unknown as Shape[]).map(({ start, items }) => [start, items?.length]),
    [
      [7, 32],
      [39, 32],
      [71, 27],
    ],
  );
});

test("long code is drawn in parts that lose no line and keep their identity while it grows", () => {
  const code = Array.from({ length: 400 }, (_, i) => (i % 5 === 0 ? "\n\n" : `const value${i} = ${i};\n`)).join("");
  let cut: ReturnType<typeof cutCode> | undefined;
  for (let length = 100; length < code.length; length += 333) {
    const next = cutCode(cut, code.slice(0, length));
    assert.ok(cut?.parts.every((part, i) => part === next.parts[i]) ?? true);
    cut = next;
  }
  const { parts, end } = cutCode(cut, code);
  assert.ok(parts.length > 1);
  assert.equal([...parts.map((part) => part.text), code.slice(end)].join("\n"), code);
  assert.ok(parts.every(({ text, lines }) => !text.endsWith("\n") && lines === text.split("\n").length));
});

test("a long table is drawn in parts that lose no row and keep their identity while it grows", () => {
  const rows = Array.from({ length: 3 * partRows + 7 }, (_, i) => [{ text: `${i}` }, { text: "x".repeat(i === 250 ? 40 : i % 30) }]);
  let parts: ReturnType<typeof cutRows<(typeof rows)[number]>> | undefined;
  for (let length = 0; length < rows.length; length += 23) {
    const next = cutRows(parts, rows.slice(0, length));
    assert.ok(parts?.every((part, i) => part.length < partRows || part === next[i]) ?? true);
    parts = next;
  }
  const whole = cutRows(parts, rows);
  assert.deepEqual(whole.flat(), rows);
  assert.deepEqual(
    whole.map((part) => part.length),
    [partRows, partRows, partRows, 7],
  );
  assert.deepEqual(
    longestCells(rows).map(({ text }) => text.length),
    [3, 40],
  );
});

test("finished blocks are grouped once, and full groups stay the same arrays", () => {
  const text = Array.from({ length: 200 }, (_, i) => `Paragraph ${i} ${"word ".repeat(i % 90)}\n\n`).join("");
  let blocks: Blocks | undefined;
  let groups: ReturnType<typeof groupsOf> | undefined;
  for (let length = 500; length < text.length; length += 1500) {
    blocks = advance(blocks, text.slice(0, length));
    const next = groupsOf(groups, blocks.frozen);
    assert.ok(groups?.full.every((group, i) => group === next.full[i]) ?? true);
    groups = next;
  }
  assert.deepEqual([...(groups?.full.flat() ?? []), ...(blocks?.frozen.slice(groups?.grouped) ?? [])], blocks?.frozen);
  assert.ok((groups?.full.length ?? 0) > 3);
});

test("line breaks of every kind come once, however the text was cut", () => {
  const text = "# One\r\n\r\n\n\nTwo\n\n- a\r\n- b\r\n\r\n\n```\r\ncode\n\nmore\r\n```\n\nend";
  let blocks: Blocks | undefined;
  for (let length = 1; length <= text.length; length++) blocks = advance(blocks, text.slice(0, length));
  const raw = [...(blocks?.frozen ?? []), ...(blocks?.open ?? [])].map((token) => token.raw).join("");
  assert.equal(raw, text.replaceAll("\r\n", "\n"));
});

test("finished blocks keep their identity while the text grows", () => {
  const first = advance(undefined, "# One\n\nTwo words\n\nthr");
  const next = advance(first, "# One\n\nTwo words\n\nthree and more");
  assert.ok(first.frozen.length >= 2);
  assert.ok(first.frozen.every((token, i) => next.frozen[i] === token));
});
