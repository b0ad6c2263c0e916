/** Images for the model: recognized by their bytes, and scaled down if the provider would refuse them or scale them down itself. */
import { createRequire } from "node:module";
import type { ImageLimits } from "../core/ports/model-client.ts";
import { readBounded } from "../lib/bounded-read.ts";
import { ownModule } from "../lib/own-module.ts";

/** Larger files are not read at all, not even to scale them down. */
const maxFileBytes = 20 * 1024 * 1024;
const maxInputPixels = 100_000_000;

/** What most providers accept; for callers without a model. */
const usualLimits: ImageLimits = { maxBytes: 5 * 1024 * 1024, maxSide: 8000, bestSide: 2048 };

interface Kind {
  readonly type: string;
  readonly isOf: (bytes: Buffer) => boolean;
  readonly size: (bytes: Buffer) => Size | undefined;
}
interface Size {
  readonly width: number;
  readonly height: number;
}

const kinds: readonly Kind[] = [
  {
    type: "image/png",
    isOf: (b) => b.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])),
    size: (b) => (b.length < 24 ? undefined : { width: b.readUInt32BE(16), height: b.readUInt32BE(20) }),
  },
  { type: "image/jpeg", isOf: (b) => b[0] === 0xff && b[1] === 0xd8 && b[2] === 0xff, size: jpegSize },
  {
    type: "image/gif",
    isOf: (b) => b.subarray(0, 4).toString("latin1") === "GIF8",
    size: (b) => (b.length < 10 ? undefined : { width: b.readUInt16LE(6), height: b.readUInt16LE(8) }),
  },
  {
    type: "image/webp",
    isOf: (b) => b.subarray(0, 4).toString("latin1") === "RIFF" && b.subarray(8, 12).toString("latin1") === "WEBP",
    size: webpSize,
  },
];

/** Rejects with a message for the user. */
export async function imageDataUrl(file: string, limits: ImageLimits = usualLimits): Promise<string> {
  const bytes = await readBounded(file, maxFileBytes);
  const kind = kinds.find(({ isOf }) => isOf(bytes));
  if (kind === undefined) throw new Error("not a PNG, JPEG, GIF or WebP image");
  return await fitted(bytes, kind, limits);
}

/** The same for an image in a message. Unknown image formats are passed on unchanged: the provider may support them. */
export async function fittedDataUrl(url: string, limits: ImageLimits = usualLimits): Promise<string> {
  const body = /^data:image\/[\w.+-]+;base64,/i.exec(url)?.[0];
  if (body === undefined || url.length > maxFileBytes * 1.4) return url;
  const bytes = Buffer.from(url.slice(body.length), "base64");
  const kind = kinds.find(({ isOf }) => isOf(bytes));
  return kind === undefined ? url : await fitted(bytes, kind, limits);
}

async function fitted(bytes: Buffer, { type, size }: Kind, limits: ImageLimits): Promise<string> {
  const { width, height } = size(bytes) ?? { width: 0, height: 0 };
  const side = Math.max(width, height);
  const isTaken = side <= limits.maxSide && base64Length(bytes) <= limits.maxBytes;
  if (isTaken && side <= limits.bestSide) return dataUrl(type, bytes);
  const smaller = (await bySharp(bytes, type, limits)) ?? (await byHand(bytes, type, limits));
  if (smaller !== undefined) return smaller;
  if (isTaken) return dataUrl(type, bytes);
  const what = `${width} by ${height} pixels and ${Math.ceil(bytes.length / 1024)} kB`;
  throw new Error(
    `the image has ${what}, more than the model takes (${limits.maxSide} pixels, ${Math.floor(limits.maxBytes / 1024)} kB as text); make a smaller copy, or install the optional package sharp`,
  );
}

const base64Length = (bytes: Uint8Array): number => Math.ceil(bytes.length / 3) * 4;
const dataUrl = (type: string, bytes: Buffer): string => `data:${type};base64,${bytes.toString("base64")}`;

/** Decreasing sizes, until the encoded image fits. */
const sides = (limits: ImageLimits): number[] =>
  [1, 0.7, 0.5, 0.35].map((factor) => Math.round(Math.min(limits.bestSide, limits.maxSide) * factor));

type Sharp = typeof import("sharp").default;

async function bySharp(bytes: Buffer, type: string, limits: ImageLimits): Promise<string | undefined> {
  const module = ownModule("sharp");
  if (module === undefined) return undefined;
  try {
    const sharp = createRequire(module)(module) as Sharp;
    for (const side of sides(limits)) {
      const image = sharp(bytes, { limitInputPixels: maxInputPixels, failOn: "none" })
        .rotate()
        .resize({ width: side, height: side, fit: "inside", withoutEnlargement: true });
      const isPhoto = type === "image/jpeg";
      const out = await (isPhoto ? image.jpeg({ quality: 85 }) : image.png()).toBuffer();
      if (base64Length(out) <= limits.maxBytes) return dataUrl(isPhoto ? "image/jpeg" : "image/png", out);
    }
  } catch {
    return undefined; // not an image after all, or a module for another system
  }
  return undefined;
}

async function byHand(bytes: Buffer, type: string, limits: ImageLimits): Promise<string | undefined> {
  if (type !== "image/png") return undefined;
  const { decodePng, encodePng, shrunk } = await import("../lib/png.ts");
  const pixels = await decodePng(bytes);
  if (pixels === undefined) return undefined;
  for (const side of sides(limits)) {
    const out = await encodePng(await shrunk(pixels, side));
    if (base64Length(out) <= limits.maxBytes) return dataUrl(type, out);
  }
  return undefined;
}

/** Read from the frame header; other segments are skipped by their lengths. */
function jpegSize(bytes: Buffer): Size | undefined {
  for (let at = 2; at + 9 < bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += marker === 0xff ? 1 : 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return undefined;
}

function webpSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 30) return undefined;
  const form = bytes.toString("latin1", 12, 16);
  if (form === "VP8X") return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (form === "VP8 ") return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  const bits = bytes.readUInt32LE(21);
  return form === "VP8L" ? { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 } : undefined;
}
