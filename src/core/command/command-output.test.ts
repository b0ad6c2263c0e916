import assert from "node:assert/strict";
import { test } from "node:test";
import { CommandOutput } from "./command-output.ts";

const mebibyte = 1024 * 1024;
const still = { monotonic: () => 0, after: () => () => {} };

test("chunks that arrive quickly are batched and sent when the interval is over", () => {
  let now = 0;
  const timers: { readonly ms: number; readonly callback: () => void }[] = [];
  const sent: string[] = [];
  const clock = {
    monotonic: () => now,
    after: (ms: number, callback: () => void) => {
      timers.push({ ms, callback });
      return () => {};
    },
  };
  const output = new CommandOutput(clock, (delta) => void sent.push(delta));
  for (const piece of ["one ", "two ", "three "]) output.push(Buffer.from(piece));
  assert.deepEqual(sent, ["one "], "the first piece waits for nothing");
  assert.deepEqual(
    timers.map(({ ms }) => ms),
    [40],
    "one timer for all that waits",
  );
  now = 40;
  timers[0]?.callback();
  assert.deepEqual(sent, ["one ", "two three "]);
  now = 100;
  output.push(Buffer.from("four"));
  assert.equal(sent.at(-1), "four", "after a pause a piece is sent at once");
});

test("an item keeps at most a mebibyte of output, and at most that much is streamed", () => {
  let streamed = "";
  const output = new CommandOutput(still, (delta) => {
    streamed += delta;
  });
  const piece = Buffer.from("0123456789abcde\n".repeat(4096));
  for (let i = 0; i < 50; i++) output.push(piece);
  output.end();
  assert.ok(output.text.length <= mebibyte && output.text.length > mebibyte - 100, String(output.text.length));
  assert.match(output.text, /\n\[\d+ bytes left out\]\n/);
  assert.ok(streamed.startsWith("0123456789abcde\n"));
  assert.equal(streamed.length, mebibyte + "\n[the rest is in the completed item]\n".length);
});

test("a second read returns the output since the last one", () => {
  const output = new CommandOutput(still, () => {});
  output.push(Buffer.from("one "));
  assert.equal(output.takeNew(), "one ");
  const euro = Buffer.from("€");
  output.push(euro.subarray(0, 2));
  assert.equal(output.takeNew(), "");
  output.push(euro.subarray(2));
  output.end();
  assert.equal(output.takeNew(), "€");
  assert.equal(output.takeNew(), "");
  assert.equal(output.text, "one €");
});

test("output that exceeds the cap is written to the file in full, whichever chunk exceeds it", async () => {
  const capacity = mebibyte - 64;
  for (const sizes of [[capacity + 1], [capacity, 1], [capacity - 1, 1, 1], Array.from({ length: 30 }, () => 50_000)]) {
    const pieces: Buffer[] = [];
    const sink = {
      write: (bytes: Uint8Array) => void pieces.push(Buffer.from(bytes)),
      end: async () => ({ path: "/file", isWhole: true }),
    };
    const output = new CommandOutput(
      still,
      () => {},
      () => sink,
    );
    const all = Buffer.concat(sizes.map((size, i) => Buffer.alloc(size, 97 + (i % 26))));
    let at = 0;
    for (const size of sizes) {
      output.push(all.subarray(at, at + size));
      at += size;
    }
    output.end();
    assert.ok(Buffer.concat(pieces).equals(all), sizes.slice(0, 3).join());
    assert.equal((await output.whole())?.path, "/file");
  }
  const short = new CommandOutput(
    still,
    () => {},
    () => assert.fail("nothing is left out"),
  );
  short.push(Buffer.alloc(capacity, 97));
  short.end();
  assert.equal(await short.whole(), undefined);
});
