/** Unpacks an npm package's archive: only files and folders, none outside the target folder, up to a limit. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { isCode } from "../lib/system-error.ts";
import { type ContentLimits, contentLimits, maxDepth } from "./content.ts";
import { PluginProblem } from "./id.ts";

const block = 512;

/** Throws PluginProblem. Links, devices and other special files are left out: no plugin needs them. */
export function unpackArchive(packed: Buffer, folder: string, limits: ContentLimits = contentLimits): void {
  const bytes = unzipped(packed, limits);
  let entries = 0;
  let longName: string | undefined;
  for (let at = 0; at + block <= bytes.length; ) {
    const header = bytes.subarray(at, at + block);
    if (header.every((byte) => byte === 0)) return;
    const size = sizeOf(header);
    const content = bytes.subarray(at + block, at + block + size);
    if (content.length < size) throw new PluginProblem("the archive is cut off");
    at += block + Math.ceil(size / block) * block;
    const kind = String.fromCharCode(header[156] ?? 0);
    if (kind === "x" || kind === "L") longName = kind === "x" ? (paxPath(content) ?? longName) : untilNul(content);
    else if (kind !== "g") {
      if (++entries > limits.entries) throw new PluginProblem(`the archive has more than ${limits.entries} entries`);
      put(folder, { name: longName ?? nameOf(header), kind, isProgram: (octal(header, 100, 8) & 0o100) !== 0 }, content);
      longName = undefined;
    }
  }
}

function unzipped(packed: Buffer, limits: ContentLimits): Buffer {
  try {
    return gunzipSync(packed, { maxOutputLength: limits.bytes + limits.entries * 2 * block });
  } catch (error) {
    if (isCode(error, "ERR_BUFFER_TOO_LARGE")) throw new PluginProblem(`the archive unpacks to more than ${limits.bytes} bytes`);
    throw new PluginProblem("the package's archive is not a gzip file");
  }
}

function put(folder: string, entry: { readonly name: string; readonly kind: string; readonly isProgram: boolean }, content: Buffer): void {
  const isFile = entry.kind === "0" || entry.kind === "\0";
  if (!isFile && entry.kind !== "5") return;
  const parts = entry.name.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..") || path.isAbsolute(entry.name) || /[\\\0:]/.test(entry.name))
    throw new PluginProblem(`the archive holds the path ${JSON.stringify(entry.name.slice(0, 200))}, which leads out of it`);
  if (parts.length > maxDepth) throw new PluginProblem(`the archive's folders are more than ${maxDepth} deep`);
  const target = path.join(folder, ...parts);
  mkdirSync(isFile ? path.dirname(target) : target, { recursive: true, mode: 0o755 });
  if (isFile) writeFileSync(target, content, { flag: "w", mode: entry.isProgram ? 0o755 : 0o644 });
}

const untilNul = (bytes: Buffer): string => bytes.toString("utf8").replace(/\0.*$/s, "");

function nameOf(header: Buffer): string {
  const name = untilNul(header.subarray(0, 100));
  const prefix = header.toString("latin1", 257, 262) === "ustar" ? untilNul(header.subarray(345, 500)) : "";
  return prefix === "" ? name : `${prefix}/${name}`;
}

function octal(header: Buffer, from: number, length: number): number {
  const text = untilNul(header.subarray(from, from + length)).trim();
  return /^[0-7]*$/.test(text) ? Number.parseInt(text || "0", 8) : Number.NaN;
}

function sizeOf(header: Buffer): number {
  const size = octal(header, 124, 12);
  if (!Number.isSafeInteger(size)) throw new PluginProblem("the archive is damaged");
  return size;
}

/** One `length key=value` line for each field. */
function paxPath(content: Buffer): string | undefined {
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(32, at);
    const length = Number(content.toString("latin1", at, space));
    if (space < 0 || !Number.isInteger(length) || length <= 0) throw new PluginProblem("the archive is damaged");
    const [key, ...value] = content.toString("utf8", space + 1, at + length - 1).split("=");
    if (key === "path") return value.join("=");
    at += length;
  }
  return undefined;
}
