import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import fc from "fast-check";
import { quoteCommand } from "./quote.ts";
import { literalWord, literalWords, splitWords } from "./words.ts";

test("blanks separate words, quotes keep them together", () => {
  assert.deepEqual(splitWords(" ls\t-la \n x "), ["ls", "-la", "x"]);
  assert.deepEqual(splitWords(`'a b'"c d"e\\ f '' ""`), ["a bc de f", "", ""]);
  assert.deepEqual(splitWords(""), []);
});

test("between double quotes a backslash escapes only the four characters that need it", () => {
  assert.deepEqual(splitWords(`"a \\"b\\" \\$c \\d" 'e\\'`), ['a "b" $c \\d', "e\\"]);
  assert.deepEqual(splitWords('a\\\nb "c\\\nd"'), ["ab", "cd"]);
});

test("an open quote or backslash gives no words", () => {
  for (const open of ["it's", 'say "hi', "end\\", `'a' "b`]) {
    assert.equal(splitWords(open), undefined);
    assert.equal(literalWords(open), undefined);
  }
});

test("literal words leave nothing for a shell to expand", () => {
  assert.deepEqual(literalWords(`/bin/bash -lc 'ls *; rm $x'`), ["/bin/bash", "-lc", "ls *; rm $x"]);
  for (const line of ["ls *", "echo $x", 'echo "$(x)"', "a; b", "a|b", "a>b", "~/x", "(a)", "{a,b}", "=ls", "a # b", "a\\\nb"])
    assert.equal(literalWords(line), undefined, line);
});

test("a single word is neither two words nor one with blanks around it", () => {
  assert.equal(literalWord("'a b'c"), "a bc");
  for (const text of ["a b", " a", "a ", "a\n", "\ta"]) assert.equal(literalWord(text), undefined, JSON.stringify(text));
});

test("a caret is literal in bash and a pattern in zsh, however it is quoted", () => {
  assert.equal(literalWord("a^b", "bash"), "a^b");
  for (const text of ["a^b", "'a^b'", '"a^b"', "a\\^b"]) assert.equal(literalWord(text, "zsh"), undefined, text);
});

test("property: quoted arguments are split into the same arguments", () => {
  const word = fc.string({ unit: "binary", maxLength: 12 });
  fc.assert(fc.property(fc.array(word, { maxLength: 5 }), (argv) => assert.deepEqual(splitWords(quoteCommand(argv)), argv)));
});

test("property: bash splits a line of literal words in the same way", () => {
  const part = fc.constantFrom("a", "b-c", " ", "  ", "\t", "'", '"', "\\", "$", "x=1", "'q r'", '"s \\" t"', "\\ ", "*", ";");
  const lines = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(""));
  const known = fc
    .sample(lines, { numRuns: 2_000, seed: 11 })
    .flatMap((line) => ((literalWords(line)?.length ?? 0) > 0 ? [{ line, words: literalWords(line) }] : []));
  assert.ok(known.length > 100, `only ${known.length} of the lines are literal`);
  const script = known.map(({ line }) => `printf '%s\\0' ${line}; printf '\\1'`).join("\n");
  const { stdout } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
  const seen = stdout.split("\x01").slice(0, -1);
  assert.deepEqual(
    seen.map((words) => words.split("\0").slice(0, -1)),
    known.map(({ words }) => words),
  );
});
