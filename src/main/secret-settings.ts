/** Finds the secret files that settings name: keys, tokens and credentials in files of their own. Serves the sandbox, which hides them. */
import { homedir } from "node:os";
import path from "node:path";
import { isTable } from "../lib/toml.ts";

/** `credential_file`, `token-file`, `keyFilename`, `private_key_path`, `client-private-key`; also names that only other programs read. */
const namesFile = /(?:key|token|secret|credential|password|passphrase)s?[_-]?(?:file|file_?name|path)$|(?:private|client)[_-]?key$/i;
/** Settings are small; this bounds the cost of unusual ones. */
const maxDepth = 6;

/** The same for settings that may change: searched again when they did. While settings cannot be read, the previous result is kept. */
export function secretSettings(settings: () => unknown, folder: string): () => readonly string[] {
  let last: unknown;
  let files: readonly string[] = [];
  return () => {
    try {
      const now = settings();
      if (now !== last) files = secretFilesIn(now, folder);
      last = now;
    } catch {
      // Reported to callers that read the settings.
    }
    return files;
  };
}

/** `folder`: the base of relative paths, as in the file that contains the settings. */
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

/** The value may be the key itself instead of a path. */
const isFileName = (text: string): boolean => text !== "" && text.length < 4_096 && !/[\n\0]/.test(text) && !text.startsWith("-----");

const absolute = (file: string, folder: string): string =>
  file === "~" || file.startsWith("~/") ? path.join(homedir(), file.slice(1)) : path.resolve(folder, file);
