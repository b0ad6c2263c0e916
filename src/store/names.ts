/** Names that users gave their threads, in `session_index.jsonl`, which Codex reads and writes too: the last line for an id holds. */

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import path from "node:path";
import { isObject, isString } from "./shapes.ts";

export class Names {
  readonly #file: string;
  readonly #names = new Map<string, string>();
  /** How much of which file was read. */
  #inode = 0;
  #read = 0;
  #endsLine = true;

  constructor(home: string) {
    this.#file = path.join(home, "session_index.jsonl");
  }

  /** The name as of the last `refresh`. */
  of(threadId: string): string | null {
    return this.#names.get(threadId) ?? null;
  }

  /** Ids of threads whose name holds the text, whatever the case. */
  matching(text: string): string[] {
    const wanted = text.toLowerCase();
    return [...this.#names].filter(([, name]) => name.toLowerCase().includes(wanted)).map(([id]) => id);
  }

  async set(threadId: string, name: string): Promise<void> {
    this.refresh();
    const line = JSON.stringify({ id: threadId, thread_name: name.toWellFormed(), updated_at: new Date().toISOString() });
    await appendFile(this.#file, `${this.#endsLine ? "" : "\n"}${line}\n`, { mode: 0o600 });
  }

  /** Reads what was added since the last look; everything when the file was replaced. */
  refresh(): void {
    let fd: number;
    try {
      fd = openSync(this.#file, "r");
    } catch {
      this.#names.clear();
      this.#read = 0;
      return;
    }
    try {
      const { ino, size } = fstatSync(fd);
      if (ino !== this.#inode || size < this.#read) {
        this.#names.clear();
        this.#read = 0;
      }
      this.#inode = ino;
      if (size > this.#read) this.#take(fd, size);
    } finally {
      closeSync(fd);
    }
  }

  #take(fd: number, size: number): void {
    const buffer = Buffer.allocUnsafe(size - this.#read);
    const count = readSync(fd, buffer, 0, buffer.length, this.#read);
    const whole = buffer.subarray(0, count).lastIndexOf(10) + 1;
    this.#endsLine = whole === count;
    for (const line of buffer.toString("utf8", 0, whole).split("\n")) this.#takeLine(line);
    this.#read += whole;
  }

  #takeLine(line: string): void {
    if (line === "") return;
    try {
      const value: unknown = JSON.parse(line);
      if (!isObject(value) || !isString(value["id"]) || !isString(value["thread_name"])) return;
      const name = value["thread_name"].trim();
      if (name === "") this.#names.delete(value["id"]);
      else this.#names.set(value["id"], name);
    } catch {}
  }
}
