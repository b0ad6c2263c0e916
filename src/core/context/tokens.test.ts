import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ModelItem } from "../ports/model-client.ts";
import { estimateTokens, truncateMiddle } from "./tokens.ts";

const picture = (bytes: Buffer, type: string): string => `data:image/${type};base64,${bytes.toString("base64")}`;
const output = (url: string): ModelItem => ({
  type: "function_call_output",
  call_id: "c",
  output: [{ type: "input_image", image_url: url }],
});

function png(width: number, height: number, bytes = 100): Buffer {
  const file = Buffer.alloc(bytes);
  Buffer.from("89504e470d0a1a0a0000000d49484452", "hex").copy(file);
  file.writeUInt32BE(width, 16);
  file.writeUInt32BE(height, 20);
  return file;
}
function jpeg(width: number, height: number): Buffer {
  const metadata = Buffer.concat([Buffer.from("ffe1ea60", "hex"), Buffer.alloc(0xea60 - 2)]);
  const frame = Buffer.from("ffc000110800000000030122000211010311", "hex");
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([Buffer.from("ffd8", "hex"), metadata, frame]);
}
function webp(width: number, height: number): Buffer {
  const file = Buffer.alloc(40);
  file.write("RIFF", 0);
  file.write("WEBPVP8X", 8);
  file.writeUIntLE(width - 1, 24, 3);
  file.writeUIntLE(height - 1, 27, 3);
  return file;
}

describe("the estimate of tokens", () => {
  it("counts an image by its pixels, in every format, and never by its bytes", () => {
    for (const url of [picture(png(1200, 900), "png"), picture(jpeg(1200, 900), "jpeg"), picture(webp(1200, 900), "webp")])
      assert.equal(estimateTokens(output(url)), 1440 + 8, url.slice(0, 30));
    assert.ok(estimateTokens(output(picture(png(9000, 9000, 5_000_000), "png"))) < 6000);
    assert.equal(estimateTokens(output("https://example.com/a.png")), 1500 + 8);
    assert.equal(estimateTokens(output(picture(Buffer.alloc(5_000_000), "png"))), 1500 + 8);
  });

  it("survives empty images and images with false sizes", () => {
    for (const bytes of [
      png(0, 0),
      png(0xffffffff, 0xffffffff),
      Buffer.from("ffd8ff", "hex"),
      Buffer.from("ffd8ffe10000ffff", "hex"),
      Buffer.alloc(0),
    ])
      assert.ok(estimateTokens(output(picture(bytes, "png"))) <= 5008);
  });
});

describe("a text that is cut", () => {
  it("keeps both ends and says how much is missing", () => {
    const text = Array.from({ length: 5000 }, (_, i) => `line ${i}`).join("\n");
    const cut = truncateMiddle(text, 500, (removed) => `<${removed}>`);
    assert.match(cut, /^line 0\n[\s\S]*<\d+>[\s\S]*line 4999$/);
    assert.ok(cut.length < 2100);
    assert.equal(truncateMiddle("short", 500), "short");
  });
});
