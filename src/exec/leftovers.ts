/**
 * What a server leaves when it is killed together with its helper: empty folders that stand in for protected names, and a command whose
 * sandbox was being set up in that moment. Each server notes its stand-ins in its home; the next one with the same home clears them.
 */
import { randomBytes } from "node:crypto";
import { lstatSync, readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { readBoundedSync, readBoundedTextSync } from "../lib/bounded-read.ts";
import { appendLineSync } from "../lib/durable-write.ts";
import { markName } from "./janitor.ts";
import { isRunning, processNumbers, processSpace, signalProcess, startOf } from "./processes.ts";
import { isPlaceholder } from "./sandbox/placeholders.ts";
import { protectedNames } from "./sandbox/protection.ts";

/** A server's own name: its process space, number and start tell it from every other one. */
const serverName = (): string => `${processSpace()}-${process.pid}-${startOf(process.pid) ?? "0"}`;
const namePattern = /^(\w+)-(\d+)-(\w+)$/;

/** The id of a confined command, from which the next server can tell whose it was. */
export const confinedCommandId = (): string => `c-${serverName()}-${randomBytes(8).toString("hex")}`;
const confinedId = /^c-(\w+-\d+-\w+)-[0-9a-f]+$/;

/** Whether a server of this process space has ended; of another one nothing can be told. */
function isDead(name: string): boolean {
  const [, space, pid = "", start = ""] = namePattern.exec(name) ?? [];
  return space === processSpace() && !isRunning(Number(pid), start);
}

const maxNotes = 256;
const maxNoteBytes = 1024 * 1024;
const maxEnvironmentBytes = 8 * 1024 * 1024;

/** The notes of one server. */
export class LeftoverNotes {
  readonly #folder: string;
  readonly #noted = new Set<string>();

  constructor(codexHome: string) {
    this.#folder = path.join(codexHome, "parley", "stand-ins");
  }

  /** Before anything stands there. As far as it can be written: it only serves the case that the helper is killed, too. */
  note(files: readonly string[]): void {
    const added = files.filter((file) => !this.#noted.has(file));
    if (added.length === 0) return;
    for (const file of added) this.#noted.add(file);
    try {
      appendLineSync(this.#own, added.map((file) => JSON.stringify(file)).join("\n"));
    } catch {
      // A full disk, or a home that cannot be written.
    }
  }

  /** At the end of a server that has taken everything away. */
  close(): void {
    if (this.#noted.size > 0) quietly(() => unlinkSync(this.#own));
    this.#noted.clear();
  }

  /** Clears what dead servers left: what those of this home noted, and what stands in the temporary folders, whatever their home was. */
  clearOthers(): void {
    endOrphans();
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

/** The last line may be torn. */
function pathIn(line: string): string[] {
  try {
    const file: unknown = JSON.parse(line);
    return typeof file === "string" && path.isAbsolute(file) ? [file] : [];
  } catch {
    return [];
  }
}

/** Only an empty folder of our own, with nothing in it but leases of dead servers, which are taken away as it is looked at. */
function clearStandIn(folder: string): void {
  quietly(() => {
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (found?.isDirectory() !== true || found.uid !== process.getuid?.() || !isPlaceholder(folder)) return;
    rmdirSync(folder); // Fails where a lease of a living server is in it.
  });
}

/** Ends confined commands whose server is gone. They have nobody who would see what they say. */
function endOrphans(): void {
  if (process.platform !== "linux") return;
  for (const pid of processNumbers(undefined))
    quietly(() => {
      const text = readBoundedSync(`/proc/${pid}/environ`, maxEnvironmentBytes).toString("latin1");
      const mark = text.split("\0").find((each) => each.startsWith(`${markName}=`));
      const [, server] = confinedId.exec(mark?.slice(markName.length + 1) ?? "") ?? [];
      if (server !== undefined && isDead(server)) signalProcess(pid, "SIGKILL");
    });
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // Gone, or not ours to touch.
  }
}
