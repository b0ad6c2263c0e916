import assert from "node:assert/strict";
import path from "node:path";
import { describe, it } from "node:test";
import { isInside, relativeInside } from "./paths.ts";

describe("paths", () => {
  const names = [
    "/",
    "//",
    "/a",
    "/a/",
    "/ab",
    "/a/b",
    "/a//b",
    "/a/b/c",
    "/a/./b",
    "/a/b/..",
    "/a/../b",
    "/a/..b",
    "/a/.b",
    "/a/...",
    "/b",
    "/a.",
  ];

  it("compares by component, whatever the spelling", () => {
    for (const child of names)
      for (const parent of names) {
        const way = path.posix.relative(parent, child);
        const expected = way === ".." || way.startsWith("../") ? undefined : way;
        assert.equal(relativeInside(child, parent, path.posix), expected, `${child} in ${parent}`);
      }
  });

  it("follows the rules of another platform", () => {
    assert.equal(isInside("C:\\Work\\a", "c:\\work", path.win32), true);
    assert.equal(isInside("D:\\work\\a", "C:\\work", path.win32), false);
    assert.equal(isInside("/team/a", "\\team", path.win32), true);
  });
});
