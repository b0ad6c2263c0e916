import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { serialize } from "node:v8";
import { oneByte } from "./one-byte.ts";

describe("one byte a letter", () => {
  const cut = JSON.parse(`"${"plain text ".repeat(20)}…"`).slice(0, -1);

  test("a part of a text with other letters takes no more memory than its own letters need", () => {
    assert.ok(serialize(cut).length > 2 * cut.length);
    assert.ok(serialize(oneByte(cut)).length < cut.length + 16);
    assert.equal(oneByte(cut), cut);
  });

  test("no letter is changed", () => {
    for (const text of ["", "é and ÿ", "…", "a\0b", "\ud800", "line\nline", `${cut}…`]) assert.equal(oneByte(text), text);
  });
});
