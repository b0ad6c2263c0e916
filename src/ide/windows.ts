/**
 * The editor windows that a terminal can be linked with: each registers itself in `$CODEX_HOME/parley/ide` with its folders and the token of
 * its private socket. Only its owner can read that folder, and what is read from it is checked all the same.
 */
import { chmodSync, type Dirent, lstatSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { firstEntriesSync } from "../lib/bounded-folder.ts";
import { readBoundedTextSync } from "../lib/bounded-read.ts";
import { replaceFileSync } from "../lib/durable-write.ts";
import { findRealPath } from "../lib/file-status.ts";
import { parseJson } from "../lib/parse-json.ts";
import { isInside } from "../lib/paths.ts";
import { array, type Infer, literals, named, object, parse, positive, string } from "../lib/schema.ts";
import { isCode } from "../lib/system-error.ts";
import { connectPrivately, isSocketName } from "../rpc/private-socket.ts";
import { form } from "./wire.ts";

const Registration = named("IdeRegistration", () =>
  object({ ide: literals(form), pid: positive(), app: string(), folders: array(string()), token: string() }),
);
type Registration = Infer<typeof Registration>;

export interface EditorWindow {
  /** The socket's name in the folder. */
  readonly socket: string;
  readonly app: string;
  readonly folders: readonly string[];
  readonly token: string;
}

const mostFiles = 200;
const maxBytes = 64 * 1024;
const mostFolders = 100;

export const windowsFolder = (codexHome: string): string => path.join(codexHome, "parley", "ide");
const fileOf = (folder: string, socket: string): string => path.join(folder, socket.replace(/\.sock$/, ".json"));

/** Written again when the window's folders change. */
export function register(codexHome: string, window: EditorWindow): void {
  const folder = windowsFolder(codexHome);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const { socket, app, token } = window;
  const entry: Registration = { ide: form, pid: process.pid, app, folders: window.folders.slice(0, mostFolders), token };
  replaceFileSync(fileOf(folder, socket), `${JSON.stringify(entry)}\n`, { mode: 0o600, sync: "none" });
}

export function unregister(codexHome: string, socket: string): void {
  rmSync(fileOf(windowsFolder(codexHome), socket), { force: true });
}

/** The windows of programs that still run; those that died are left out. */
export function registeredWindows(codexHome: string): readonly EditorWindow[] {
  const folder = windowsFolder(codexHome);
  if (!isPrivate(folder)) return [];
  return firstEntriesSync(folder, mostFiles).entries.flatMap((entry) => readWindow(folder, entry) ?? []);
}

function readWindow(folder: string, { name }: Dirent): EditorWindow | undefined {
  const socket = name.replace(/\.json$/, ".sock");
  if (!name.endsWith(".json") || !isSocketName(socket)) return undefined;
  try {
    const file = path.join(folder, name);
    if (!isOwn(lstatSync(file).uid)) return undefined;
    const found = parse(Registration, parseJson(readBoundedTextSync(file, maxBytes, { links: "refuse" })));
    if (found === undefined || !isRunning(found.pid)) return undefined;
    return { socket, app: found.app, folders: found.folders.slice(0, mostFolders), token: found.token };
  } catch {
    return undefined; // removed meanwhile, or no file that a window would write
  }
}

/** A folder that others could write to may hold anybody's socket. */
function isPrivate(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isDirectory()) return false;
  return process.platform === "win32" || (isOwn(stats.uid) && (stats.mode & 0o077) === 0);
}

const isOwn = (uid: number): boolean => process.getuid === undefined || process.getuid() === uid;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, "EPERM");
  }
}

/** Removes what windows that were killed have left. */
export async function removeDeadWindows(codexHome: string): Promise<void> {
  const folder = windowsFolder(codexHome);
  for (const { name } of firstEntriesSync(folder, mostFiles).entries) {
    if (!isSocketName(name)) continue;
    try {
      (await connectPrivately(folder, name)).close();
    } catch (error) {
      if (!isCode(error, "ECONNREFUSED")) continue;
      for (const file of [path.join(folder, name), fileOf(folder, name)]) rmSync(file, { force: true });
    }
  }
}

/** How well a window fits a folder: a folder around it counts by its length, one inside it less than any of those. Undefined: not at all. */
function fit(window: EditorWindow, cwd: string): number | undefined {
  const scores = window.folders.flatMap((folder) => {
    const real = findRealPath(folder) ?? folder;
    if (isInside(cwd, real)) return [real.length];
    return isInside(real, cwd) ? [-real.length] : [];
  });
  return scores.length === 0 ? undefined : Math.max(...scores);
}

/** The windows that fit best, several if they fit alike; none if the folder is open in no window. */
export function windowsFor(windows: readonly EditorWindow[], folder: string): readonly EditorWindow[] {
  const cwd = findRealPath(folder) ?? folder;
  const fitting = windows.flatMap((window) => {
    const score = fit(window, cwd);
    return score === undefined ? [] : [{ window, score }];
  });
  const best = Math.max(...fitting.map(({ score }) => score));
  return fitting.filter(({ score }) => score === best).map(({ window }) => window);
}
