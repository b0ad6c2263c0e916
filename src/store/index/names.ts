/** Names that users gave their threads, in `session_index.jsonl`, which Codex reads and writes too: the last line for an id wins. */
import path from "node:path";
import { appendLineSync } from "../../lib/durable-write.ts";
import { LineFollower } from "../../lib/line-follower.ts";
import { isObject, isString } from "../rollout/shapes.ts";

/** Enough for the names of half a million threads; of a larger file only the newest part is read. */
const maxBytes = 64 * 1024 * 1024;

export class Names {
  readonly #file: string;
  readonly #names = new Map<string, string>();
  readonly #lines: LineFollower;
  /** Another number after each change. */
  version = 0;

  constructor(home: string) {
    this.#file = path.join(home, "session_index.jsonl");
    this.#lines = new LineFollower(this.#file, maxBytes);
  }

  /** The name as of the last `refresh`. */
  of(threadId: string): string | null {
    // To look an id up that was just read costs V8 as much as writing its row as JSON, also among none.
    return this.#names.size === 0 ? null : (this.#names.get(threadId) ?? null);
  }

  /** Ids of threads whose name contains the text, ignoring case. */
  matching(text: string): string[] {
    const wanted = text.toLowerCase();
    return [...this.#names].filter(([, name]) => name.toLowerCase().includes(wanted)).map(([id]) => id);
  }

  async set(threadId: string, name: string): Promise<void> {
    const line = JSON.stringify({ id: threadId, thread_name: name.toWellFormed(), updated_at: new Date().toISOString() });
    appendLineSync(this.#file, line);
  }

  /** Reads what was added since the last call; everything if the file was replaced. */
  refresh(): void {
    this.#lines.look({ take: (line) => this.#takeLine(line), forget: () => this.#forget() });
  }

  #forget(): void {
    this.version++;
    this.#names.clear();
  }
  #takeLine(line: string): void {
    this.version++;
    try {
      const value: unknown = JSON.parse(line);
      if (!isObject(value) || !isString(value["id"]) || !isString(value["thread_name"])) return;
      const name = value["thread_name"].trim();
      if (name === "") this.#names.delete(value["id"]);
      else this.#names.set(value["id"], name);
    } catch {}
  }
}
