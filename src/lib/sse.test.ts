/** The event stream parser accepts arbitrarily split bytes and stays bounded. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createParser } from "eventsource-parser";
import { createSseReader, SseTooLong, SseTooMany } from "./sse.ts";

function read(...chunks: (string | Uint8Array)[]): [string, string | undefined][] {
  const events: [string, string | undefined][] = [];
  const reader = createSseReader((data, event) => events.push([data, event]));
  for (const chunk of chunks) reader.feed(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  return events;
}

describe("createSseReader", () => {
  it("reads names and data, also of several lines", () => {
    assert.deepEqual(read("event: a\ndata: 1\n\n", "data: 2\ndata: 3\n\n"), [
      ["1", "a"],
      ["2\n3", undefined],
    ]);
  });
  it("skips comments, ids and unknown fields", () => {
    assert.deepEqual(read(": hello\n\nid: 7\nretry: 5\nwhat: x\ndata: 1\n\n"), [["1", undefined]]);
  });
  it("joins characters that were split between chunks", () => {
    const bytes = Buffer.from("data: 👩‍💻é\n\n");
    const pieces = Array.from(bytes, (_, i) => bytes.subarray(i, i + 1));
    assert.deepEqual(read(...pieces), [["👩‍💻é", undefined]]);
  });
  it("reads CR, LF and CRLF, also when the pair is split", () => {
    assert.deepEqual(read("data: 1\r", "\n\r\ndata: 2\r\rdata: 3\n\n"), [
      ["1", undefined],
      ["2", undefined],
      ["3", undefined],
    ]);
  });
  it("reads what the parser reads, wherever the bytes are split", () => {
    const lines = [
      "data: 1",
      'data: {"delta":"é👩"}',
      "data:2",
      "data:  3",
      "data",
      "data: ",
      "event: a",
      "event:b",
      "event: ",
      "event",
      "id: 7",
    ];
    const odd = [": ping", "nonsense", "dat", "retry: 1", "\ufeffdata: 4", ""];
    const ends = ["\n", "\n", "\n", "\n\n", "\n\n", "\n\n", "\n\n", "\n\n\n", "\r\n", "\r"];
    let seed = 1;
    const below = (n: number): number => {
      seed = (seed * 48271) % 2147483647;
      return seed % n;
    };
    const one = (list: readonly string[]): string => list[below(list.length)] ?? "";
    for (let round = 0; round < 3000; round++) {
      const ending = round % 3 === 0 ? ends : ends.slice(0, -2);
      let text = one(["", "\ufeff", "\n"]);
      for (let i = below(12); i >= 0; i--) text += (below(8) === 0 ? one(odd) : one(lines)) + one(ending);
      const expected: [string, string | undefined][] = [];
      createParser({ onEvent: ({ data, event }) => expected.push([data, event]) }).feed(text);
      const bytes = Buffer.from(text);
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; ) {
        const size = 1 + below(round % 2 === 0 ? 4 : 60);
        pieces.push(bytes.subarray(at, at + size));
        at += size;
      }
      assert.deepEqual(read(...pieces), expected, JSON.stringify({ text, sizes: pieces.map(({ length }) => length) }));
    }
  });
  it("returns nothing for an unfinished event", () => {
    assert.deepEqual(read("data: 1\n"), []);
  });
  it("throws when a line or an event grows past the limit", () => {
    for (const piece of ["x".repeat(50), `${"x".repeat(20)}\ndata: `]) {
      const reader = createSseReader(() => undefined, 1000);
      reader.feed(Buffer.from("data: "));
      assert.throws(() => {
        for (let i = 0; i < 100; i++) reader.feed(Buffer.from(piece));
      }, SseTooLong);
    }
  });
  it("throws when an event contains too many values", () => {
    const reader = createSseReader(() => assert.fail("it was read"));
    assert.throws(() => reader.feed(Buffer.from(`data: [${'{"a":"\\"["},'.repeat(200_000)}0]\n\n`)), SseTooMany);
  });
  it("accepts long strings, whatever is in them", () => {
    const text = JSON.stringify({ text: '{[","]}\\'.repeat(300_000), more: ["\\", '"'] });
    assert.deepEqual(read(`data: ${text}\n\n`), [[text, undefined]]);
  });
  it("does not keep a long comment or a long line that is no field", () => {
    const events: string[] = [];
    const reader = createSseReader((data) => events.push(data), 1000);
    for (const start of [": ", "nonsense"]) {
      reader.feed(Buffer.from(start));
      for (let i = 0; i < 100; i++) reader.feed(Buffer.from("x".repeat(50)));
      reader.feed(Buffer.from("\n"));
    }
    reader.feed(Buffer.from("data: still here\n\n"));
    assert.deepEqual(events, ["still here"]);
  });
});
