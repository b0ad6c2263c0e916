import assert from "node:assert/strict";
import { test } from "node:test";
import { CommandOutput } from "./command-output.ts";

const mebibyte = 1024 * 1024;

test("an item never keeps more than a mebibyte, and no more than that is streamed", () => {
  let streamed = "";
  const output = new CommandOutput((delta) => {
    streamed += delta;
  });
  const piece = Buffer.from("0123456789abcde\n".repeat(4096));
  for (let i = 0; i < 50; i++) output.push(piece);
  output.end();
  assert.ok(output.text.length <= mebibyte && output.text.length > mebibyte - 100, String(output.text.length));
  assert.match(output.text, /\n…\d+ bytes left out…\n/);
  assert.ok(streamed.startsWith("0123456789abcde\n"));
  assert.equal(streamed.length, mebibyte + "\n…the rest is in the completed item…\n".length);
});

test("another look tells what came since the last one", () => {
  const output = new CommandOutput(() => {});
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

test("what is longer than is kept goes whole into the file, whichever piece it is that does not fit", async () => {
  const capacity = mebibyte - 64;
  for (const sizes of [[capacity + 1], [capacity, 1], [capacity - 1, 1, 1], Array.from({ length: 30 }, () => 50_000)]) {
    const pieces: Buffer[] = [];
    const sink = {
      write: (bytes: Uint8Array) => void pieces.push(Buffer.from(bytes)),
      end: async () => ({ path: "/file", isWhole: true }),
    };
    const output = new CommandOutput(
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
    () => {},
    () => assert.fail("nothing is left out"),
  );
  short.push(Buffer.alloc(capacity, 97));
  short.end();
  assert.equal(await short.whole(), undefined);
});
