/**
 * Cleans up after a server that was killed together with its helper: empty placeholder folders for protected names, and a command whose
 * sandbox was being set up at that moment. Each server records its placeholders in its home; the next server with the same home removes
 * them.
 */
import { lstatSync, readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { readBoundedSync, readBoundedTextSync } from "../lib/bounded-read.ts";
import { appendLineSync } from "../lib/durable-write.ts";
import { randomBytes } from "../lib/random.ts";
import { isRunning, markName, processNumbers, processSpace, serverName, signalProcess } from "./processes.ts";
import { isPlaceholder } from "./sandbox/placeholders.ts";
import { protectedNames } from "./sandbox/protection.ts";

/** As `serverName` writes it. */
const namePattern = /^(\w+)-(\d+)-(\w+)$/;

/** The id of a confined command, from which a later server can tell which server started it. */
export const confinedCommandId = (): string => `c-${serverName()}-${randomBytes(8).toString("hex")}`;
const confinedId = /^c-(\w+-\d+-\w+)-[0-9a-f]+$/;

/** Whether a server of this PID namespace has ended; unknown for other PID namespaces. */
function isDead(name: string): boolean {
  const [, space, pid = "", start = ""] = namePattern.exec(name) ?? [];
  return space === processSpace() && !isRunning(Number(pid), start);
}

const maxNotes = 256;
const maxNoteBytes = 1024 * 1024;
const maxEnvironmentBytes = 8 * 1024 * 1024;
/** Read in one go, which takes about a millisecond. */
const processesAtOnce = 8;

/** The records of one server. */
export class LeftoverNotes {
  readonly #folder: string;
  readonly #noted = new Set<string>();

  constructor(codexHome: string) {
    this.#folder = path.join(codexHome, "parley", "stand-ins");
  }

  /** Call this before a placeholder is created. A failed write is ignored: the record matters only if the helper is killed too. */
  note(files: readonly string[]): void {
    const added = files.filter((file) => !this.#noted.has(file));
    if (added.length === 0) return;
    for (const file of added) this.#noted.add(file);
    try {
      appendLineSync(this.#own, added.map((file) => JSON.stringify(file)).join("\n"));
    } catch {
      // The disk is full, or the home is not writable.
    }
  }

  /** Called when a server exits after removing everything. */
  close(): void {
    if (this.#noted.size > 0) quietly(() => unlinkSync(this.#own));
    this.#noted.clear();
  }

  /**
   * Removes what dead servers left: the placeholders that servers of this home recorded, and those in the temporary folders, whichever
   * server made them.
   */
  async clearOthers(): Promise<void> {
    await endOrphans();
    for (const folder of [...new Set([tmpdir(), "/tmp"])]) for (const name of protectedNames) clearStandIn(path.join(folder, name));
    let names: readonly string[] = [];
    quietly(() => {
      names = readdirSync(this.#folder);
    });
    for (const name of names.slice(0, maxNotes)) {
      if (!isDead(name)) continue;
      const file = path.join(this.#folder, name);
      for (const folder of notedIn(file)) clearStandIn(folder);
      quietly(() => unlinkSync(file));
    }
  }

  get #own(): string {
    return path.join(this.#folder, serverName());
  }
}

function notedIn(file: string): string[] {
  try {
    return readBoundedTextSync(file, maxNoteBytes, { links: "refuse" }).split("\n").flatMap(pathIn);
  } catch {
    return [];
  }
}

/** The last line may be incomplete. */
function pathIn(line: string): string[] {
  try {
    const file: unknown = JSON.parse(line);
    return typeof file === "string" && path.isAbsolute(file) ? [file] : [];
  } catch {
    return [];
  }
}

/** Removes only an empty folder of our own, with nothing in it but leases of dead servers, which `isPlaceholder` deletes as it checks. */
function clearStandIn(folder: string): void {
  quietly(() => {
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (found?.isDirectory() !== true || found.uid !== process.getuid?.() || !isPlaceholder(folder)) return;
    rmdirSync(folder); // Fails if the folder contains a lease of a running server.
  });
}

const markStart = `\0${markName}=`;

/** Kills confined commands whose server is gone. Nobody reads their output any more. In portions: reading every process takes as long as several turns. */
async function endOrphans(): Promise<void> {
  if (process.platform !== "linux") return;
  for (const [i, pid] of processNumbers(undefined).entries()) {
    if (i % processesAtOnce === 0) await new Promise((resolve) => setImmediate(resolve));
    quietly(() => {
      // Not cut apart at each variable: V8 then optimizes the loop, for which every idle server paid 20 ms and 5 MB.
      const text = `\0${readBoundedSync(`/proc/${pid}/environ`, maxEnvironmentBytes).toString("latin1")}`;
      const at = text.indexOf(markStart);
      if (at === -1) return;
      const [id = ""] = text.slice(at + markStart.length).split("\0", 1);
      const [, server] = confinedId.exec(id) ?? [];
      if (server !== undefined && isDead(server)) signalProcess(pid, "SIGKILL");
    });
  }
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // Gone, or not ours.
  }
}
