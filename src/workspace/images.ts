/** Images for the model: recognized by their bytes, and scaled down if the provider would refuse them or scale them down itself. */
import { createRequire } from "node:module";
import type { ImageLimits } from "../core/ports/model-client.ts";
import { readBounded } from "../lib/bounded-read.ts";
import { imageSize, imageType, notAnImage } from "../lib/image-size.ts";
import { ownModule } from "../lib/own-module.ts";

/** Larger files are not read at all, not even to scale them down. */
const maxFileBytes = 20 * 1024 * 1024;
const maxInputPixels = 100_000_000;

/** What most providers accept; for callers without a model. */
const usualLimits: ImageLimits = { maxBytes: 5 * 1024 * 1024, maxSide: 8000, bestSide: 2048 };

/** Rejects with a message for the user. */
export async function imageDataUrl(file: string, limits: ImageLimits = usualLimits): Promise<string> {
  const bytes = await readBounded(file, maxFileBytes);
  const type = imageType(bytes);
  if (type === undefined) throw new Error(notAnImage);
  return await fitted(bytes, type, limits);
}

/** The same for an image in a message. Unknown image formats are passed on unchanged: the provider may support them. */
export async function fittedDataUrl(url: string, limits: ImageLimits = usualLimits): Promise<string> {
  const body = /^data:image\/[\w.+-]+;base64,/i.exec(url)?.[0];
  if (body === undefined || url.length > maxFileBytes * 1.4) return url;
  const bytes = Buffer.from(url.slice(body.length), "base64");
  const type = imageType(bytes);
  return type === undefined ? url : await fitted(bytes, type, limits);
}

async function fitted(bytes: Buffer, type: string, limits: ImageLimits): Promise<string> {
  const { width, height } = imageSize(bytes) ?? { width: 0, height: 0 };
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
