/** Kind, width and height of an image, read from its first bytes: PNG, GIF, WebP and JPEG. For callers that do not decode it. */

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Its media type, which the first twelve bytes tell; undefined for everything else. */
export function imageType(bytes: Buffer): string | undefined {
  if (tagAt(bytes, 0, 8) === "\x89PNG\r\n\x1a\n") return "image/png";
  if (tagAt(bytes, 0, 3) === "\xff\xd8\xff") return "image/jpeg";
  if (tagAt(bytes, 0) === "GIF8") return "image/gif";
  return tagAt(bytes, 0) === "RIFF" && tagAt(bytes, 8) === "WEBP" ? "image/webp" : undefined;
}
export const notAnImage = "not a PNG, JPEG, GIF or WebP image";

/** undefined: not one of these formats, or truncated. */
export function imageSize(bytes: Buffer): ImageSize | undefined {
  return sane(pngSize(bytes) ?? gifSize(bytes) ?? webpSize(bytes) ?? jpegSize(bytes));
}

/** The first bytes of a data URL; undefined when it is not a base64 data URL. */
export function dataUrlHead(url: string, maxBytes: number): Buffer | undefined {
  const comma = url.startsWith("data:") ? url.indexOf(",") : -1;
  if (comma === -1 || !url.slice(0, comma).endsWith(";base64")) return undefined;
  return Buffer.from(url.slice(comma + 1, comma + 1 + Math.ceil(maxBytes / 3) * 4), "base64");
}

function sane(size: ImageSize | undefined): ImageSize | undefined {
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
}

const tagAt = (bytes: Buffer, at: number, length = 4): string => bytes.toString("latin1", at, at + length);

function pngSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 24 || tagAt(bytes, 1, 3) !== "PNG" || tagAt(bytes, 12) !== "IHDR") return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gifSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 10 || tagAt(bytes, 0) !== "GIF8") return undefined;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function webpSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 30 || tagAt(bytes, 0) !== "RIFF" || tagAt(bytes, 8) !== "WEBP") return undefined;
  switch (tagAt(bytes, 12)) {
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

/** Markers that start a frame and contain its size; C4, C8 and CC between them mean something else. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

function jpegSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes.readUInt8(at + 1);
    if (isFrame(marker)) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    const isFill = marker === 0xff;
    at += isFill ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
