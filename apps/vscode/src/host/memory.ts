/** State that must outlive the window: written to a file at once, since an editor that is reloaded or killed saves nothing itself. */
import path from "node:path";
import { readBoundedTextSync } from "../../../../src/lib/bounded-read.ts";
import { replaceFileSync } from "../../../../src/lib/durable-write.ts";
import { isRecord } from "../../../../src/lib/is-record.ts";

const maxBytes = 64 * 1024 * 1024;

export class Memory {
  readonly #file: string;
  readonly #warn: (message: string) => void;
  readonly #values: Record<string, unknown>;

  constructor(folder: string, warn: (message: string) => void) {
    this.#file = path.join(folder, "kept.json");
    this.#warn = warn;
    this.#values = read(this.#file);
  }

  get(key: string): unknown {
    return this.#values[key];
  }
  strings(key: string): readonly string[] {
    const value = this.#values[key];
    return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
  }

  /** If the disk cannot be written, only this memory is lost, never the work. */
  set(key: string, value: unknown): void {
    this.#values[key] = value;
    try {
      replaceFileSync(this.#file, JSON.stringify(this.#values), { mode: 0o600 });
    } catch (error) {
      this.#warn(`what the panel shall remember was not written: ${String(error)}`);
    }
  }
}

function read(file: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readBoundedTextSync(file, maxBytes));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
