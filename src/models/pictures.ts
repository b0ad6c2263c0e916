/** Reads an image's format and size from its first bytes. Providers refuse images that are too large or mislabelled. */
import type { ImageLimits } from "../core/ports/model-client.ts";

export interface Picture {
  readonly mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  readonly width: number;
  readonly height: number;
}

export interface DataUrl {
  readonly mediaType: string;
  readonly base64: string;
}

/** undefined for other kinds of URL. */
export function dataUrlParts(url: string): DataUrl | undefined {
  if (!url.startsWith("data:")) return undefined;
  const comma = url.indexOf(",");
  const head = comma < 0 ? "" : url.slice(5, comma);
  if (!/;base64$/i.test(head)) return undefined;
  return { mediaType: head.split(";")[0]?.toLowerCase() ?? "", base64: url.slice(comma + 1) };
}

/** Enough for the headers of nearly all files. */
const headLength = 256 * 1024;

/** undefined when the bytes are in none of these formats. */
export function pictureOf(base64: string): Picture | undefined {
  const short = Buffer.from(base64.slice(0, 64), "base64");
  if (isPng(short)) return sized("image/png", short.readUInt32BE(16), short.readUInt32BE(20));
  if (/^GIF8[79]a/.test(short.toString("latin1", 0, 6)) && short.length >= 10)
    return sized("image/gif", short.readUInt16LE(6), short.readUInt16LE(8));
  if (short.toString("latin1", 0, 4) === "RIFF" && short.toString("latin1", 8, 12) === "WEBP") return webp(short);
  if (short[0] === 0xff && short[1] === 0xd8) return jpeg(Buffer.from(base64.slice(0, headLength), "base64"));
  return undefined;
}

const sized = (mediaType: Picture["mediaType"], width: number, height: number): Picture => ({ mediaType, width, height });
const isPng = (bytes: Buffer): boolean =>
  bytes.length >= 24 && bytes.readUInt32BE(0) === 0x89504e47 && bytes.toString("latin1", 12, 16) === "IHDR";

function webp(bytes: Buffer): Picture | undefined {
  const kind = bytes.toString("latin1", 12, 16);
  if (bytes.length < 30) return undefined;
  if (kind === "VP8X") return sized("image/webp", 1 + bytes.readUIntLE(24, 3), 1 + bytes.readUIntLE(27, 3));
  if (kind === "VP8 ") return sized("image/webp", bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff);
  if (kind !== "VP8L") return undefined;
  const bits = bytes.readUInt32LE(21);
  return sized("image/webp", 1 + (bits & 0x3fff), 1 + ((bits >> 14) & 0x3fff));
}

/** Walks the segments to the one that begins a frame. */
function jpeg(bytes: Buffer): Picture | undefined {
  let at = 2;
  while (at + 9 < bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return sized("image/jpeg", bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5));
    if (marker === 0xff) at++;
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** Why a provider with these limits would refuse the image; undefined when it would not. Web URLs are left to the provider. */
export function tooLarge(url: string, limits: ImageLimits): string | undefined {
  const data = dataUrlParts(url);
  if (data === undefined || !data.mediaType.startsWith("image/")) return undefined;
  if (data.base64.length > limits.maxBytes)
    return `it has ${megabytes(data.base64.length)} MB as base64, and the provider takes ${megabytes(limits.maxBytes)} MB`;
  const picture = pictureOf(data.base64);
  const side = picture === undefined ? 0 : Math.max(picture.width, picture.height);
  if (side > limits.maxSide) return `its longer side has ${side} pixels, and the provider takes ${limits.maxSide}`;
  return undefined;
}

const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1).replace(/\.0$/, "");
export const isPdf = (url: string): boolean => url.startsWith("data:application/pdf");
