import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { globPattern, hasWildcards, staticFolder } from "./glob.ts";

const cases: readonly (readonly [glob: string, matching: readonly string[], other: readonly string[]])[] = [
  ["/w/**/.env", ["/w/.env", "/w/a/.env", "/w/a/b/.env"], ["/w/.envrc", "/w/x.env", "/v/.env", "/w/a/.env/b"]],
  ["/w/private/**", ["/w/private/a", "/w/private/a/b", "/w/private/.a"], ["/w/private", "/w/privates/a"]],
  ["/w/*.pem", ["/w/a.pem", "/w/.pem"], ["/w/a/b.pem", "/w/a.pem2"]],
  ["/w/?.txt", ["/w/a.txt"], ["/w/.txt", "/w/ab.txt", "/w//.txt"]],
  ["/w/[a-c]x", ["/w/ax", "/w/cx"], ["/w/dx"]],
  ["/w/[!a]x", ["/w/bx"], ["/w/ax", "/w//x"]],
  ["/w/[x", ["/w/[x"], ["/w/x"]],
  ["/w/*.{key,pem}", ["/w/a.key", "/w/a.pem"], ["/w/a.crt"]],
  ["/w/a+(b).txt*", ["/w/a+(b).txt"], ["/w/aab.txt"]],
  ["/w/x**", ["/w/x", "/w/xyz"], ["/w/x/y"]],
  ["**", ["/a/b", "a"], []],
];

describe("path patterns", () => {
  for (const [glob, matching, other] of cases)
    it(`match for ${glob} what they name and nothing else`, () => {
      const pattern = globPattern(glob);
      assert.deepEqual(
        [...matching, ...other].filter((path) => pattern.test(path)),
        matching,
      );
    });

  it("tell where they begin", () => {
    assert.equal(staticFolder("/w/a/**/.env"), "/w/a");
    assert.equal(staticFolder("/**/.env"), "/");
    assert.equal(staticFolder("/w/a"), "/w/a");
    assert.equal(hasWildcards("/w/a"), false);
    assert.equal(hasWildcards("/w/[a"), true);
  });
});
