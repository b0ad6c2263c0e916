/** Images for a message: recognized by their path when it is pasted, and made portable for servers on other machines. */
import { statSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { readBoundedSync } from "../../lib/bounded-read.ts";
import type { UserInput } from "../../protocol/item.ts";

const types: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};
const maxBytes = 20 * 1024 * 1024;

export const isImage = (file: string): boolean => Object.hasOwn(types, path.extname(file).toLowerCase());

/** The images that a pasted text consists of: paths as terminals paste them, quoted, escaped or as a URL. */
export function imagesIn(pasted: string, cwd: string): readonly string[] | undefined {
  const names = pasted.trim().match(/"[^"]+"|'[^']+'|(?:\\.|[^\s\\])+/g) ?? [];
  if (names.length === 0 || names.length > 10 || pasted.length > 4096) return undefined;
  const files = names.map((pasted) => fileFrom(pasted, cwd));
  return files.every((file) => file !== undefined) ? files : undefined;
}

function fileFrom(pasted: string, cwd: string): string | undefined {
  const plain = /^["'].*["']$/.test(pasted) ? pasted.slice(1, -1) : pasted.replace(/\\(.)/g, "$1");
  try {
    const named = plain.startsWith("file://") ? fileURLToPath(plain) : plain.replace(/^~(?=\/)/, homedir());
    const file = path.resolve(cwd, named);
    return isImage(file) && statSync(file).isFile() ? file : undefined;
  } catch {
    return undefined;
  }
}

/** For a server that cannot read this machine's files. Throws with a message for the person when a file cannot be sent. */
export function embedded(input: readonly UserInput[]): UserInput[] {
  return input.map((part): UserInput => {
    if (part.type !== "localImage") return part;
    const bytes = readBoundedSync(part.path, maxBytes);
    const type = types[path.extname(part.path).toLowerCase()] ?? "application/octet-stream";
    return { type: "image", url: `data:${type};base64,${bytes.toString("base64")}` };
  });
}
