/** Shows a patch while the model still writes it. What it says is not verified yet: the fileChange item that follows is the truth. */
import type { FileUpdateChange } from "../../protocol/item.ts";

/** Not more often than people can see. */
const everyMs = 100;
/** A patch beyond this is not worth reading over and over. */
const maxChars = 256 * 1024;

export class PatchPreview {
  readonly #form: "text" | "json";
  readonly #now: () => number;
  #raw = "";
  #toldAt = Number.NEGATIVE_INFINITY;
  #told = "";

  /** "json": the deltas are pieces of a function's arguments, `{"input": "…"}`. */
  constructor(form: "text" | "json", now: () => number) {
    this.#form = form;
    this.#now = now;
  }

  /** The changes as they stand, when there is something new worth telling. */
  push(delta: string): FileUpdateChange[] | undefined {
    if (this.#raw.length > maxChars) return undefined;
    this.#raw += delta;
    if (this.#now() - this.#toldAt < everyMs) return undefined;
    const text = this.#form === "text" ? this.#raw : inputSoFar(this.#raw);
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    if (whole.length <= this.#told.length) return undefined;
    const changes = changesSoFar(whole);
    if (changes.length === 0) return undefined;
    this.#toldAt = this.#now();
    this.#told = whole;
    return changes;
  }
}

/** Complete lines only; a header whose body has not come yet counts already. Paths are as the patch writes them, as in Codex 0.166. */
function changesSoFar(text: string): FileUpdateChange[] {
  const changes: FileUpdateChange[] = [];
  for (const line of text.split("\n").slice(0, -1)) {
    const header = /^\*\*\* (Add|Delete|Update) File: (.+?)\s*$/.exec(line);
    const current = changes.at(-1);
    if (header !== null) changes.push(begun(header[1] ?? "", header[2] ?? ""));
    else if (current === undefined) continue;
    else if (current.kind.type === "add" && line.startsWith("+")) current.diff += `${line.slice(1)}\n`;
    else if (current.kind.type === "update") {
      const target = /^\*\*\* Move to: (.+?)\s*$/.exec(line)?.[1];
      if (target !== undefined) current.kind = { type: "update", move_path: target };
      else if (!line.startsWith("***")) current.diff += `${line}\n`;
    }
  }
  return changes;
}

function begun(word: string, file: string): FileUpdateChange {
  if (word === "Add") return { path: file, kind: { type: "add" }, diff: "" };
  return word === "Delete"
    ? { path: file, kind: { type: "delete" }, diff: "" }
    : { path: file, kind: { type: "update", move_path: null }, diff: "" };
}

/** The value of the first string in unfinished arguments. */
function inputSoFar(raw: string): string {
  const start = /^\s*\{\s*"(?:input|patch)"\s*:\s*"/.exec(raw);
  if (start === null) return "";
  // As much as is whole: not half an escape, and nothing after the closing quote.
  const body = /^(?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u])*/.exec(raw.slice(start[0].length))?.[0] ?? "";
  try {
    const value: unknown = JSON.parse(`"${body}"`);
    return typeof value === "string" ? value : "";
  } catch {
    return "";
  }
}
