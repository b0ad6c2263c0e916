/** Which files the settings name as holders of a secret: keys, tokens and credentials in files of their own. Serves the sandbox, which hides them. */
import { homedir } from "node:os";
import path from "node:path";
import { isTable } from "../lib/toml.ts";

/** `credential_file`, `token-file`, `keyFilename`, `private_key_path`, `client-private-key`; also names that only other programs read. */
const namesFile = /(?:key|token|secret|credential|password|passphrase)s?[_-]?(?:file|file_?name|path)$|(?:private|client)[_-]?key$/i;
/** Settings are small; this bounds what a strange one costs. */
const maxDepth = 6;

/** The same for settings that may change: looked through again when they did. Settings that cannot be read now leave what was known. */
export function secretSettings(settings: () => unknown, folder: string): () => readonly string[] {
  let last: unknown;
  let files: readonly string[] = [];
  return () => {
    try {
      const now = settings();
      if (now !== last) files = secretFilesIn(now, folder);
      last = now;
    } catch {
      // Said to whoever asks for the settings.
    }
    return files;
  };
}

/** `folder`: where relative names start, as in the file that holds the settings. */
export function secretFilesIn(settings: unknown, folder: string): string[] {
  const found: string[] = [];
  const visit = (value: unknown, depth: number): void => {
    if (depth > maxDepth) return;
    if (Array.isArray(value)) for (const each of value) visit(each, depth + 1);
    if (!isTable(value)) return;
    for (const [name, each] of Object.entries(value)) {
      if (typeof each !== "string") visit(each, depth + 1);
      else if (namesFile.test(name) && isFileName(each)) found.push(absolute(each, folder));
    }
  };
  visit(settings, 0);
  return found;
}

/** A key itself may stand there instead of a file's name. */
const isFileName = (text: string): boolean => text !== "" && text.length < 4_096 && !/[\n\0]/.test(text) && !text.startsWith("-----");

const absolute = (file: string, folder: string): string =>
  file === "~" || file.startsWith("~/") ? path.join(homedir(), file.slice(1)) : path.resolve(folder, file);
