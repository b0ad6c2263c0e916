/**
 * The list of files outside the server's home that contain the server's secrets: tokens, shared secrets, certificate keys. Every process
 * that gets such a file on its command line adds it here. The sandbox of every server with the same home reads the list and hides the
 * files from commands: a manager and the engine that it connects to are two processes.
 */
import { statSync } from "node:fs";
import path from "node:path";
import { readBoundedTextSync } from "../lib/bounded-read.ts";
import { replaceFileSync } from "../lib/durable-write.ts";

const listIn = (home: string): string => path.join(home, "parley", "secret-files.json");
/** When the list is full, the oldest entries are dropped first. */
const maxFiles = 64;
const maxBytes = 1024 * 1024;

/** Adds files to the list. Throws when the list cannot be written: a secret that is not hidden must not be used. */
export function noteSecretFiles(home: string, files: readonly string[]): void {
  const known = knownSecretFiles(home);
  const added = files.map((file) => path.resolve(file)).filter((file) => !known.includes(file));
  if (added.length === 0) return;
  const kept = known.filter((file) => statSync(file, { throwIfNoEntry: false }) !== undefined);
  replaceFileSync(listIn(home), JSON.stringify([...kept, ...new Set(added)].slice(-maxFiles)));
}

export function knownSecretFiles(home: string): readonly string[] {
  const file = listIn(home);
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return [];
  try {
    const list: unknown = JSON.parse(readBoundedTextSync(file, maxBytes));
    return Array.isArray(list) ? list.filter((each) => typeof each === "string" && path.isAbsolute(each)) : [];
  } catch {
    return [];
  }
}
