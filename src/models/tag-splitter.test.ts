/** The splitter finds the same parts however its text is split. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createTagSplitter } from "./tag-splitter.ts";

function split(pieces: readonly string[], onlyAtStart: boolean): [string, boolean][] {
  const splitter = createTagSplitter("think", onlyAtStart);
  const out: [string, boolean][] = [];
  let begun = true;
  const emit = (piece: string, inside: boolean, closed: boolean): void => {
    const last = out.at(-1);
    if (piece !== "") {
      if (last !== undefined && last[1] === inside && !begun) last[0] += piece;
      else out.push([piece, inside]);
      begun = false;
    }
    if (closed) begun = true;
  };
  for (const piece of pieces) splitter.feed(piece, emit);
  splitter.flush(emit);
  return out;
}

describe("createTagSplitter", () => {
  it("splits reasoning from the answer", () => {
    assert.deepEqual(split(["<think>hm</think>yes"], true), [
      ["hm", true],
      ["yes", false],
    ]);
    assert.deepEqual(split([" \n<thi", "nk>hm</th", "ink>", "yes <think>no</think>"], true), [
      ["hm", true],
      ["yes <think>no</think>", false],
    ]);
  });
  it("leaves text alone that only looks like a tag", () => {
    assert.deepEqual(split(["<thin", "g> is not one"], true), [["<thing> is not one", false]]);
    assert.deepEqual(split(["a < b", " and <think"], false), [["a < b and <think", false]]);
  });
  it("ends an open text at the end", () => {
    assert.deepEqual(split(["<think>never closed"], true), [["never closed", true]]);
  });
  it("gives the same result for any chunk boundaries", () => {
    const piece = fc.constantFrom("<think>", "</think>", "<", "thin", "k>", "a", " ", "</", "ünï");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.array(fc.nat(60), { maxLength: 8 }), fc.boolean(), (parts, cuts, onlyAtStart) => {
        const text = parts.join("");
        const at = [0, ...cuts.filter((c) => c < text.length).sort((a, b) => a - b), text.length];
        const pieces = at.slice(1).map((end, i) => text.slice(at[i], end));
        assert.deepEqual(split(pieces, onlyAtStart), split([text], onlyAtStart));
      }),
      { numRuns: 500 },
    );
  });
});
