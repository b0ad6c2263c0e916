/** Reads, shrinks and writes PNG files without a library. For images that are too large where no image library is installed. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { crc32, deflate as packAside, inflate as unpackAside } from "node:zlib";

const deflate = promisify(packAside);
const inflate: (packed: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer> = promisify(unpackAside);

/** Red, green, blue and alpha, one byte each. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** Larger ones would take seconds and hundreds of megabytes. */
const maxPixels = 12_000_000;

/** Work runs this long without yielding to other work. */
const sliceMs = 8;

/** Yields between the rows of an image. */
class Slices {
  #began = performance.now();

  async rest(): Promise<void> {
    if (performance.now() - this.#began < sliceMs) return;
    await nextTurn();
    this.#began = performance.now();
  }
}
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Samples per pixel by colour type: grey, RGB, palette, grey and alpha, RGB and alpha. */
const samplesOf: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

interface Parts {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly colour: number;
  readonly palette: Uint8Array;
  /** Alpha of the palette's colours. */
  readonly opacity: Uint8Array;
  readonly packed: Uint8Array;
}

/** Undefined for unsupported images: interlaced, damaged or very large ones. */
export async function decodePng(file: Uint8Array): Promise<Pixels | undefined> {
  const parts = partsOf(file);
  const samples = parts === undefined ? undefined : samplesOf[parts.colour];
  if (parts === undefined || samples === undefined) return undefined;
  const { width, height, depth } = parts;
  const lineLength = Math.ceil((width * samples * depth) / 8);
  try {
    const raw = await inflate(parts.packed, { maxOutputLength: (lineLength + 1) * height });
    if (raw.length < (lineLength + 1) * height) return undefined;
    const slices = new Slices();
    for (let y = 0; y < height; y++) {
      if (!unfilterLine(raw, lineLength, y, Math.max(1, (samples * depth) >> 3))) return undefined;
      await slices.rest();
    }
    return { width, height, data: await coloured(raw, lineLength, parts, samples) };
  } catch {
    return undefined;
  }
}

function partsOf(bytes: Uint8Array): Parts | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (file.length < 33 || !file.subarray(0, 8).equals(signature)) return undefined;
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  const [depth = 0, colour = 0, , , interlaced = 0] = file.subarray(24, 29);
  const isKnown = [1, 2, 4, 8, 16].includes(depth) && interlaced === 0 && width > 0 && height > 0 && width * height <= maxPixels;
  if (!isKnown) return undefined;
  let [palette, opacity]: Uint8Array[] = [new Uint8Array(), new Uint8Array()];
  const packed: Uint8Array[] = [];
  for (let at = 8; at + 12 <= file.length; ) {
    const length = file.readUInt32BE(at);
    const type = file.toString("latin1", at + 4, at + 8);
    const body = file.subarray(at + 8, at + 8 + length);
    if (type === "PLTE") palette = body;
    if (type === "tRNS") opacity = body;
    if (type === "IDAT") packed.push(body);
    if (type === "IEND") break;
    at += 12 + length;
  }
  return {
    width,
    height,
    depth,
    colour,
    palette: palette ?? new Uint8Array(),
    opacity: opacity ?? new Uint8Array(),
    packed: Buffer.concat(packed),
  };
}

/** Undoes the filter of a row, in place. */
function unfilterLine(raw: Uint8Array, lineLength: number, y: number, step: number): boolean {
  const start = y * (lineLength + 1);
  const filter = raw[start] ?? 0;
  if (filter > 4) return false;
  for (let at = start + 1; at < start + 1 + lineLength; at++) {
    const left = at - step > start ? (raw[at - step] ?? 0) : 0;
    const up = y > 0 ? (raw[at - lineLength - 1] ?? 0) : 0;
    if (filter === 1) raw[at] = (raw[at] ?? 0) + left;
    else if (filter === 2) raw[at] = (raw[at] ?? 0) + up;
    else if (filter === 3) raw[at] = (raw[at] ?? 0) + ((left + up) >> 1);
    else if (filter === 4) {
      const corner = y > 0 && at - step > start ? (raw[at - lineLength - 1 - step] ?? 0) : 0;
      raw[at] = (raw[at] ?? 0) + paeth(left, up, corner);
    }
  }
  return true;
}

function paeth(left: number, up: number, corner: number): number {
  const a = Math.abs(up - corner);
  const b = Math.abs(left - corner);
  const c = Math.abs(left + up - 2 * corner);
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

async function coloured(raw: Uint8Array, lineLength: number, parts: Parts, samples: number): Promise<Uint8Array> {
  const { width, height, depth, colour, palette, opacity } = parts;
  const out = new Uint8Array(width * height * 4);
  const scale = depth < 8 ? 255 / (2 ** depth - 1) : 1;
  const sample = (line: number, i: number): number => {
    if (depth === 8) return raw[line + i] ?? 0;
    if (depth === 16) return raw[line + 2 * i] ?? 0;
    const bit = i * depth;
    return ((raw[line + (bit >> 3)] ?? 0) >> (8 - depth - (bit & 7))) & (2 ** depth - 1);
  };
  const slices = new Slices();
  for (let y = 0; y < height; y++) {
    await slices.rest();
    const line = y * (lineLength + 1) + 1;
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      const first = sample(line, x * samples);
      if (colour === 3) {
        out[at] = palette[first * 3] ?? 0;
        out[at + 1] = palette[first * 3 + 1] ?? 0;
        out[at + 2] = palette[first * 3 + 2] ?? 0;
        out[at + 3] = opacity[first] ?? 255;
      } else {
        const isColour = samples >= 3;
        out[at] = first * scale;
        out[at + 1] = isColour ? sample(line, x * samples + 1) : first * scale;
        out[at + 2] = isColour ? sample(line, x * samples + 2) : first * scale;
        out[at + 3] = samples === 2 || samples === 4 ? sample(line, x * samples + samples - 1) : 255;
      }
    }
  }
  return out;
}

/** Each new pixel is the mean of those that it covers. */
export async function shrunk({ width, height, data }: Pixels, side: number): Promise<Pixels> {
  const factor = Math.min(1, side / Math.max(width, height));
  const [w, h] = [Math.max(1, Math.round(width * factor)), Math.max(1, Math.round(height * factor))];
  const out = new Uint8Array(w * h * 4);
  const slices = new Slices();
  for (let y = 0; y < h; y++) {
    await slices.rest();
    const [top, bottom] = [Math.floor((y * height) / h), Math.max(Math.floor(((y + 1) * height) / h), Math.floor((y * height) / h) + 1)];
    for (let x = 0; x < w; x++) {
      const [left, right] = [Math.floor((x * width) / w), Math.max(Math.floor(((x + 1) * width) / w), Math.floor((x * width) / w) + 1)];
      let [r, g, b, a, n] = [0, 0, 0, 0, 0];
      for (let i = top; i < bottom; i++)
        for (let at = (i * width + left) * 4; at < (i * width + right) * 4; at += 4) {
          r += data[at] ?? 0;
          g += data[at + 1] ?? 0;
          b += data[at + 2] ?? 0;
          a += data[at + 3] ?? 0;
          n++;
        }
      const to = (y * w + x) * 4;
      out[to] = r / n;
      out[to + 1] = g / n;
      out[to + 2] = b / n;
      out[to + 3] = a / n;
    }
  }
  return { width: w, height: h, data: out };
}

/** Without alpha where no pixel needs it. Rows are written as differences to the row above, which compresses well. */
export async function encodePng({ width, height, data }: Pixels): Promise<Buffer> {
  const slices = new Slices();
  let hasOpacity = false;
  for (let y = 0; y < height && !hasOpacity; y++) {
    await slices.rest();
    for (let at = y * width * 4 + 3; at < (y + 1) * width * 4; at += 4) hasOpacity ||= data[at] !== 255;
  }
  const samples = hasOpacity ? 4 : 3;
  const raw = new Uint8Array((width * samples + 1) * height);
  for (let y = 0; y < height; y++) {
    await slices.rest();
    const start = y * (width * samples + 1);
    raw[start] = 2;
    for (let x = 0; x < width; x++)
      for (let i = 0; i < samples; i++) {
        const at = (y * width + x) * 4 + i;
        raw[start + 1 + x * samples + i] = ((data[at] ?? 0) - (y > 0 ? (data[at - width * 4] ?? 0) : 0)) & 255;
      }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, hasOpacity ? 6 : 2, 0, 0, 0], 8);
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", await deflate(raw)), chunk("IEND", Buffer.alloc(0))]);
}

function chunk(type: string, body: Uint8Array): Buffer {
  const out = Buffer.alloc(12 + body.length);
  out.writeUInt32BE(body.length, 0);
  out.write(type, 4, "latin1");
  out.set(body, 8);
  out.writeUInt32BE(crc32(out.subarray(4, 8 + body.length)), 8 + body.length);
  return out;
}
