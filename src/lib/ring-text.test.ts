import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RingText } from "./ring-text.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("short output comes back whole", () => {
  const ring = new RingText(100);
  ring.push(bytes("one "));
  ring.push(bytes("two"));
  assert.equal(ring.text(), "one two");
  assert.equal(ring.omittedBytes, 0);
});

test("long output keeps head and tail and says how much is missing", () => {
  const ring = new RingText(10);
  for (let i = 0; i < 26; i++) ring.push(bytes(String.fromCharCode(97 + i)));
  assert.equal(
    ring.text((n) => `<${n}>`),
    "abcde<16>vwxyz",
  );
  assert.equal(ring.totalBytes, 26);
});

test("characters of several bytes are never cut in half", () => {
  const ring = new RingText(10);
  ring.push(bytes("aaaä€€€€€€€ü"));
  const text = ring.text((n) => `<${n}>`);
  assert.ok(!text.includes("\ufffd"), text);
  assert.ok(text.startsWith("aaaä<") && text.endsWith(">€ü"), text);
});

test("a head of nothing keeps only the end", () => {
  const ring = new RingText(3, 0);
  ring.push(bytes("abcdef"));
  assert.equal(
    ring.text(() => "|"),
    "|def",
  );
});

test("property: chunking never changes what is kept, and nothing is lost below the limit", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), fc.integer({ min: 1, max: 64 }), (chunks, limit) => {
      const whole = Buffer.concat(chunks);
      const a = new RingText(limit);
      for (const chunk of chunks) a.push(chunk);
      const b = new RingText(limit);
      b.push(whole);
      assert.equal(
        a.text(() => "|"),
        b.text(() => "|"),
      );
      assert.equal(a.totalBytes, whole.length);
      assert.equal(a.omittedBytes, Math.max(0, whole.length - limit));
      if (whole.length <= limit) assert.equal(a.text(), new TextDecoder("utf-8", { ignoreBOM: true }).decode(whole));
    }),
    { numRuns: 200 },
  );
});
