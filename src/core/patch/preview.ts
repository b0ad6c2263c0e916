/** Previews a patch, an edit or a new file while the model is writing it. The preview is not verified: the fileChange item that follows is authoritative. */
import { hasPassed } from "../../lib/passed.ts";
import type { FileUpdateChange } from "../../protocol/item.ts";

/** No more often than people can notice. */
const everyMs = 100;
/** A patch longer than this is not worth parsing again and again. */
const maxChars = 256 * 1024;

/** "text": the patch itself. "json": pieces of a function's arguments, `{"input": "…"}`. "edit" and "write": the arguments of these tools. */
export type PreviewForm = "text" | "json" | "edit" | "write";

export class PatchPreview {
  readonly #form: PreviewForm;
  readonly #now: () => number;
  #raw = "";
  #sentAt = Number.NEGATIVE_INFINITY;
  #sent = "";

  constructor(form: PreviewForm, now: () => number) {
    this.#form = form;
    this.#now = now;
  }

  /** The current changes, when there is something new to show. */
  push(delta: string): FileUpdateChange[] | undefined {
    if (this.#raw.length > maxChars) return undefined;
    this.#raw += delta;
    if (!hasPassed(this.#sentAt, everyMs, this.#now())) return undefined;
    const { whole, changes } = this.#soFar();
    if (whole.length <= this.#sent.length || changes.length === 0) return undefined;
    this.#sentAt = this.#now();
    this.#sent = whole;
    return changes;
  }

  #soFar(): { readonly whole: string; readonly changes: FileUpdateChange[] } {
    if (this.#form === "edit" || this.#form === "write") {
      const changes = this.#form === "edit" ? editSoFar(this.#raw) : fileSoFar(this.#raw);
      return { whole: changes.map(({ path, diff }) => `${path}\n${diff}`).join("\n"), changes };
    }
    const text = this.#form === "text" ? this.#raw : inputSoFar(this.#raw);
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    return { whole, changes: changesSoFar(whole) };
  }
}

/** Nothing is shown before the old text is complete: only then is it clear what is replaced. */
function editSoFar(raw: string): FileUpdateChange[] {
  const fields = fieldsSoFar(raw);
  const [file, old, next] = [fields.get("path"), fields.get("old_text"), fields.get("new_text")];
  if (file?.isWhole !== true || old?.isWhole !== true) return [];
  const lines = (sign: string, field: Field): string =>
    linesSoFar(field)
      .map((line) => `${sign}${line}\n`)
      .join("");
  return [
    {
      path: file.text,
      kind: { type: "update", move_path: null },
      diff: `@@\n${lines("-", old)}${next === undefined ? "" : lines("+", next)}`,
    },
  ];
}

/** Whether the file is new is not known yet; the whole text follows either way. */
function fileSoFar(raw: string): FileUpdateChange[] {
  const fields = fieldsSoFar(raw);
  const [file, content] = [fields.get("path"), fields.get("content")];
  if (file?.isWhole !== true || content === undefined) return [];
  return [
    {
      path: file.text,
      kind: { type: "add" },
      diff: linesSoFar(content)
        .map((line) => `${line}\n`)
        .join(""),
    },
  ];
}

interface Field {
  readonly text: string;
  /** Its closing quote has arrived. */
  readonly isWhole: boolean;
}

/** Half a line is not shown. */
function linesSoFar({ text, isWhole }: Field): string[] {
  const lines = text.split("\n");
  return isWhole && lines.at(-1) !== "" ? lines : lines.slice(0, -1);
}

/** The top-level strings of incomplete arguments. */
function fieldsSoFar(raw: string): Map<string, Field> {
  const fields = new Map<string, Field>();
  const next = /[{,]\s*"([a-z_]+)"\s*:\s*(?:"((?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u])*)("?)|[^",{}[\]]+)/gy;
  for (let found = next.exec(raw.trimStart()); found !== null; found = next.exec(raw.trimStart())) {
    const [, name = "", body, quote] = found;
    const text = body === undefined ? undefined : textOf(body);
    if (text !== undefined) fields.set(name, { text, isWhole: quote === '"' });
    if (quote !== '"' && body !== undefined) break;
  }
  return fields;
}

/** Complete lines only; a header counts even before its body. Paths are shown as the patch writes them, as in Codex 0.166. */
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

function begun(operation: string, file: string): FileUpdateChange {
  if (operation === "Add") return { path: file, kind: { type: "add" }, diff: "" };
  return operation === "Delete"
    ? { path: file, kind: { type: "delete" }, diff: "" }
    : { path: file, kind: { type: "update", move_path: null }, diff: "" };
}

/** The value of the first string in incomplete arguments. */
function inputSoFar(raw: string): string {
  const start = /^\s*\{\s*"(?:input|patch)"\s*:\s*"/.exec(raw);
  if (start === null) return "";
  // The complete part: not half an escape, and nothing after the closing quote.
  return textOf(/^(?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u])*/.exec(raw.slice(start[0].length))?.[0] ?? "") ?? "";
}

/** Decodes a JSON string body without its quotes; undefined when it is invalid. */
function textOf(body: string): string | undefined {
  try {
    const value: unknown = JSON.parse(`"${body}"`);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
