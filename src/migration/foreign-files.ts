/** Reads another agent's files: bounded in size and number, no links followed, nothing trusted about their content. */
import { lstatSync } from "node:fs";
import path from "node:path";
import { namesOf } from "../lib/bounded-folder.ts";
import { readBoundedSync, readBoundedTextSync } from "../lib/bounded-read.ts";
import { isRecord } from "../lib/is-record.ts";

const maxText = 1024 * 1024;
/** Settings files of other agents also hold their histories. */
const maxSettings = 32 * 1024 * 1024;
const maxNames = 1000;
const maxFiles = 200;
const maxFolderBytes = 10 * 1024 * 1024;
const maxDepth = 5;

/** Undefined if it is missing, empty, a link, too large or no text. */
export function readText(file: string): string | undefined {
  try {
    const text = readBoundedTextSync(file, maxText, { links: "refuse" });
    return text.trim() === "" || text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** An empty object for anything that is not one. */
export function readSettings(file: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readBoundedTextSync(file, maxSettings, { links: "refuse" }));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** Names of the entries that are regular files or folders, sorted; entries with odd names are left out. */
export function entriesIn(folder: string, kind: "file" | "folder"): readonly string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return [...namesOf(folder, maxNames)]
    .filter((name) => /^[A-Za-z0-9][\w.-]{0,63}$/.test(name))
    .filter((name) => {
      const stats = lstatSync(path.join(folder, name), { throwIfNoEntry: false });
      return kind === "file" ? stats?.isFile() === true : stats?.isDirectory() === true;
    })
    .toSorted()
    .slice(0, maxFiles);
}

export interface ForeignFile {
  /** Relative to the folder. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Every file below a folder, or an error when there is more than a skill can need. Links are left out. */
export function readTree(folder: string): readonly ForeignFile[] {
  const files: ForeignFile[] = [];
  let left = maxFolderBytes;
  const walk = (at: string, depth: number): void => {
    if (depth > maxDepth) throw new Error(`${folder} is more than ${maxDepth} folders deep`);
    for (const name of entriesIn(path.join(folder, at), "file")) {
      if (files.length >= maxFiles) throw new Error(`${folder} has more than ${maxFiles} files`);
      const bytes = readBoundedSync(path.join(folder, at, name), left, { links: "refuse" });
      left -= bytes.length;
      files.push({ name: path.join(at, name), bytes });
    }
    for (const name of entriesIn(path.join(folder, at), "folder")) walk(path.join(at, name), depth + 1);
  };
  walk("", 0);
  return files;
}

export interface Document {
  readonly head: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A text with `key: value` lines between two `---`; other values than plain ones are left out. */
export function readDocument(file: string): Document | undefined {
  const text = readText(file);
  if (text === undefined) return undefined;
  const [, head = "", body = text] = /^\ufeff?---\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n(.*))?$/s.exec(text) ?? [];
  const pairs = head.split(/\r?\n/).flatMap((line): [string, string][] => {
    const [, key, value = ""] = /^([A-Za-z][\w-]*):[ \t]+(.+)$/.exec(line) ?? [];
    return key === undefined || /^[[{|>&*]/.test(value) ? [] : [[key, value.trim().replace(/^(["'])(.*)\1$/, "$2")]];
  });
  return { head: Object.fromEntries(pairs), body: body.trim() };
}
