import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import type { ImageLimits } from "../core/ports/model-client.ts";
import { decodePng, encodePng, type Pixels, shrunk } from "../lib/png.ts";
import { fittedDataUrl, imageDataUrl } from "./images.ts";

const limits: ImageLimits = { maxBytes: 200_000, maxSide: 1000, bestSide: 500 };
/** Colors that change from pixel to pixel, so that nothing compresses well. */
function picture(width: number, height: number, opacity = 255): Pixels {
  const data = new Uint8Array(width * height * 4);
  for (let i = 0; i < data.length; i++) data[i] = i % 4 === 3 ? opacity : (i * 2654435761) >>> 24;
  return { width, height, data };
}
const url = (bytes: Buffer, type = "image/png"): string => `data:${type};base64,${bytes.toString("base64")}`;
const bytesOf = (of: string): Buffer => Buffer.from(of.slice(of.indexOf(",") + 1), "base64");

test("a PNG that is written can be read, scaled down and read again", async () => {
  for (const opacity of [255, 7]) {
    const whole = picture(31, 17, opacity);
    assert.deepEqual(await decodePng(await encodePng(whole)), whole);
    const small = await shrunk(whole, 10);
    assert.deepEqual([small.width, small.height], [10, 5]);
    assert.equal((await decodePng(await encodePng(small)))?.data[3], opacity);
  }
  assert.deepEqual(
    (await shrunk({ width: 2, height: 1, data: Uint8Array.from([0, 0, 0, 255, 200, 100, 50, 255]) }, 1)).data,
    Uint8Array.from([100, 50, 25, 255]),
  );
});

test("every kind of line prediction, palettes and single bits are read", async () => {
  const png = (head: readonly number[], raw: readonly number[], more: readonly [string, readonly number[]][] = []): Buffer => {
    const part = (type: string, body: Uint8Array): Buffer => {
      const out = Buffer.alloc(12 + body.length);
      out.writeUInt32BE(body.length, 0);
      out.write(type, 4, "latin1");
      out.set(body, 8);
      return out;
    };
    const header = Buffer.alloc(13);
    header.writeUInt32BE(head[0] ?? 0, 0);
    header.writeUInt32BE(head[1] ?? 0, 4);
    header.set(head.slice(2), 8);
    const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    const others = more.map(([type, body]) => part(type, Uint8Array.from(body)));
    return Buffer.concat([
      signature,
      part("IHDR", header),
      ...others,
      part("IDAT", deflateSync(Uint8Array.from(raw))),
      part("IEND", Buffer.alloc(0)),
    ]);
  };
  const grey = async (file: Buffer): Promise<number[]> => [...((await decodePng(file))?.data ?? [])].filter((_, i) => i % 4 === 0);
  // Gray, two by five: each line with a different prediction.
  assert.deepEqual(
    await grey(png([2, 5, 8, 0, 0, 0, 0], [0, 10, 20, 1, 5, 5, 2, 1, 1, 3, 10, 10, 4, 1, 1])),
    [10, 20, 5, 10, 6, 11, 13, 22, 14, 23],
  );
  assert.deepEqual(await grey(png([8, 1, 1, 0, 0, 0, 0], [0, 0b10100001])), [255, 0, 255, 0, 0, 0, 0, 255]);
  const palette = await decodePng(
    png(
      [2, 1, 8, 3, 0, 0, 0],
      [0, 1, 0],
      [
        ["PLTE", [1, 2, 3, 4, 5, 6]],
        ["tRNS", [9]],
      ],
    ),
  );
  assert.deepEqual([...(palette?.data ?? [])], [4, 5, 6, 255, 1, 2, 3, 9]);
  for (const odd of [
    png([2, 5, 8, 0, 0, 0, 1], [0]),
    png([9e5, 9e5, 8, 2, 0, 0, 0], [0]),
    png([2, 2, 8, 0, 0, 0, 0], [9, 1, 1]),
    Buffer.from("x"),
  ])
    assert.equal(await decodePng(odd), undefined);
});

test("images are returned at a size that the model accepts, and small ones unchanged", async () => {
  const small = url(await encodePng(picture(100, 50)));
  assert.equal(await fittedDataUrl(small, limits), small);
  const large = await fittedDataUrl(url(await encodePng(picture(1200, 600))), limits);
  assert.ok(large.length <= limits.maxBytes + 100, `${large.length}`);
  const size = bytesOf(large);
  assert.ok(size.readUInt32BE(16) <= limits.bestSide && size.readUInt32BE(16) === 2 * size.readUInt32BE(20));
  for (const other of ["https://example.org/a.png", "data:image/x-odd;base64,AAAA", "data:text/plain;base64,AAAA"])
    assert.equal(await fittedDataUrl(other, limits), other);
});

test("an image that cannot be scaled down is refused with its size; an endless file is not read", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-images-"));
  try {
    // A JPEG header that claims 9000 by 9000 pixels, without a picture.
    const header = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 11, 8, 0x23, 0x28, 0x23, 0x28, 1, 1, 0x11, 0]);
    const file = path.join(folder, "huge.jpg");
    writeFileSync(file, header);
    await assert.rejects(imageDataUrl(file, limits), /9000 by 9000 pixels.*more than the model takes/);
    await assert.rejects(imageDataUrl("/dev/zero", limits), /not a regular file/);
    await assert.rejects(imageDataUrl(folder, limits), /not a regular file/);
    writeFileSync(file, "text");
    await assert.rejects(imageDataUrl(file, limits), /not a PNG/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a large PNG without an image library does not block the server", async () => {
  const large = await encodePng(picture(3000, 2500));
  let turns = 0;
  const ticking = setInterval(() => turns++, 1);
  const pixels = await decodePng(large);
  const small = await shrunk(pixels ?? assert.fail(), 1500);
  const written = await encodePng(small);
  clearInterval(ticking);
  assert.equal(written.readUInt32BE(16), 1500);
  assert.ok(turns > 20, `others got ${turns} turns`); // without pauses there would be none for seconds
});
