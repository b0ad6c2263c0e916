/**
 * Changes values inside a TOML text and leaves everything else as the user wrote it: order, spacing, and every comment.
 * A comment whose line is removed is kept as a line of its own, because it is the user's and may matter.
 */
import { isDeepStrictEqual } from "node:util";
import { isTable, parseToml, setOwn, type TomlTable } from "../lib/toml.ts";
import { quoteKey } from "./key.ts";
import { formatSections, formatValue, isListOfTables } from "./toml-format.ts";
import { type Header, type Pair, type Path, type Span, type Statement, scanToml } from "./toml-scan.ts";

/** Sets the value at a key path; undefined removes it. Throws when the result would not parse back as requested, so nothing broken is ever stored. */
export function editToml(text: string, path: readonly string[], value: unknown): string {
  const before = parseToml(text);
  const after = withValue(before, path, value);
  const edited = new Editor(text).reconcile([], before, after);
  if (!isDeepStrictEqual(withoutEmpty(parseToml(edited)), withoutEmpty(after)))
    throw new Error(`the file cannot be edited at ${path.map(quoteKey).join(".")}; change it by hand`);
  return edited;
}

/** A copy of `root` with the value set; missing tables on the path are created. */
export function withValue(root: TomlTable, path: readonly string[], value: unknown): TomlTable {
  const [name, ...rest] = path;
  if (name === undefined) return isTable(value) ? value : {};
  const copy = { ...root };
  const below = Object.hasOwn(root, name) ? root[name] : undefined;
  if (rest.length === 0 && value === undefined) delete copy[name];
  else if (rest.length === 0) setOwn(copy, name, value);
  else if (value !== undefined || isTable(below)) setOwn(copy, name, withValue(isTable(below) ? below : {}, rest, value));
  return copy;
}

/** Text cannot distinguish an implied empty table from a missing one. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isTable(value)) return value;
  const kept: TomlTable = {};
  for (const [key, inner] of Object.entries(value)) {
    const pruned = withoutEmpty(inner);
    if (!isTable(pruned) || Object.keys(pruned).length > 0) setOwn(kept, key, pruned);
  }
  return kept;
}

const startsWith = (path: Path, prefix: Path): boolean => path.length >= prefix.length && prefix.every((part, i) => part === path[i]);
const samePath = (a: Path, b: Path): boolean => a.length === b.length && startsWith(a, b);
const names = (path: Path): string[] => path.filter((part) => typeof part === "string");

class Editor {
  #text: string;
  #statements: Statement[];
  readonly #newline: string;

  constructor(text: string) {
    this.#text = text;
    this.#statements = scanToml(text);
    this.#newline = text.includes("\r\n") ? "\r\n" : "\n";
  }

  /** Edits the text so that its value changes from `before` to `after`. */
  reconcile(path: Path, before: unknown, after: unknown): string {
    this.#reconcile(path, before, after);
    return this.#text;
  }

  #reconcile(path: Path, before: unknown, after: unknown): void {
    if (isDeepStrictEqual(before, after)) return;
    const holder = this.#pairHolding(path);
    if (holder !== undefined && samePath(holder.path, path) && after !== undefined) this.#setPair(holder, before, after);
    else if (after === undefined) this.#remove(path);
    else if (before === undefined) this.#add(path, after);
    else if (isTable(before) && isTable(after)) this.#reconcileTable(path, before, after);
    else if (Array.isArray(before) && isListOfTables(after)) this.#reconcileEntries(path, before, after);
    else {
      this.#remove(path);
      this.#add(path, after);
    }
  }

  #reconcileTable(path: Path, before: TomlTable, after: TomlTable): void {
    const get = (table: TomlTable, key: string): unknown => (Object.hasOwn(table, key) ? table[key] : undefined);
    for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) this.#reconcile([...path, key], before[key], undefined);
    for (const key of Object.keys(after)) this.#reconcile([...path, key], get(before, key), after[key]);
  }

  /** The entries of a `[[list]]`: unchanged ones keep their position, so that each keeps its own comments. */
  #reconcileEntries(path: Path, before: readonly unknown[], after: readonly TomlTable[]): void {
    const kept: unknown[] = [...before];
    const isKept = (entry: unknown): boolean => after.some((desired) => isDeepStrictEqual(desired, entry));
    for (let i = before.length - 1; i >= 0 && kept.length > after.length; i--) {
      if (isKept(before[i])) continue;
      this.#remove([...path, i]);
      kept.splice(i, 1);
    }
    for (let i = kept.length - 1; i >= after.length; i--) this.#remove([...path, i]);
    for (const [i, desired] of after.entries()) {
      if (i < kept.length) this.#reconcile([...path, i], kept[i], desired);
      else this.#addSections([...path], formatSections(names(path), desired, "[["), path);
    }
  }

  #pairs(): Pair[] {
    return this.#statements.filter((s) => s.kind === "pair");
  }
  #headers(): Header[] {
    return this.#statements.filter((s) => s.kind === "header");
  }
  /** The pair whose value is at the path or contains it. */
  #pairHolding(path: Path): Pair | undefined {
    return this.#pairs().find((pair) => startsWith(path, pair.path));
  }

  #splice(span: Span, text: string): void {
    this.#text = this.#text.slice(0, span.start) + text + this.#text.slice(span.end);
    this.#statements = scanToml(this.#text);
  }

  #setPair(pair: Pair, before: unknown, after: unknown): void {
    if (pair.items !== undefined && pair.items.length > 0 && Array.isArray(before) && Array.isArray(after) && after.length > 0)
      return this.#setItems(pair.items, before, after);
    const inner = scanToml(`x = ${this.#text.slice(pair.value.start, pair.value.end)}`).flatMap((s) =>
      s.kind === "pair" ? s.comments : [],
    );
    this.#splice(pair.value, formatValue(after));
    if (inner.length > 0) this.#splice({ start: pair.line.start, end: pair.line.start }, this.#lines(inner));
  }

  /** Edits a list entry by entry, so that its layout and the comments in it stay. */
  #setItems(items: readonly Span[], before: readonly unknown[], after: readonly unknown[]): void {
    let head = 0;
    while (head < before.length && head < after.length && isDeepStrictEqual(before[head], after[head])) head++;
    let tail = 0;
    while (tail < Math.min(before.length, after.length) - head && isDeepStrictEqual(before.at(-1 - tail), after.at(-1 - tail))) tail++;
    const old = items.slice(head, items.length - tail);
    const fresh = after.slice(head, after.length - tail).map(formatValue);
    const changed = Math.min(old.length, fresh.length);
    // From back to front, so that the offsets of the remaining edits stay valid.
    for (const span of old.slice(changed).reverse()) this.#cut(this.#withComma(span), "");
    const extra = fresh.slice(changed);
    const anchor = old[changed - 1]?.end ?? items[head - 1]?.end;
    const first = items[0]?.start ?? 0;
    if (anchor !== undefined) this.#cut({ start: anchor, end: anchor }, extra.map((item) => `, ${item}`).join(""));
    else this.#cut({ start: first, end: first }, extra.map((item) => `${item}, `).join(""));
    for (const [i, span] of old.slice(0, changed).entries().toArray().reverse()) this.#cut(span, fresh[i] ?? "");
    this.#statements = scanToml(this.#text);
  }

  #cut(span: Span, text: string): void {
    this.#text = this.#text.slice(0, span.start) + text + this.#text.slice(span.end);
  }

  /** An entry of a list and its comma: the one after it, else the one before. */
  #withComma(span: Span): Span {
    const [behind] = /^\s*,[ \t]*/.exec(this.#text.slice(span.end)) ?? [];
    if (behind !== undefined) return { start: span.start, end: span.end + behind.length };
    const [ahead = ""] = /,[ \t]*$/.exec(this.#text.slice(0, span.start)) ?? [];
    return { start: span.start - ahead.length, end: span.end };
  }

  #remove(path: Path): void {
    const holder = this.#pairHolding(path);
    if (holder !== undefined && !samePath(holder.path, path)) {
      const value: unknown = parseToml(`x = ${this.#text.slice(holder.value.start, holder.value.end)}`)["x"];
      const inner = names(path.slice(holder.path.length));
      this.#setPair(holder, value, isTable(value) ? withValue(value, inner, undefined) : value);
      return;
    }
    const before = this.#text;
    for (const [i, statement] of [...this.#statements.entries()].reverse()) {
      if (statement.kind !== "pair" && statement.kind !== "header") continue;
      if (!startsWith(statement.path, path)) continue;
      const above = this.#statements[i - 1];
      const gap = statement.kind === "header" && statement.comments.length === 0 && above?.kind === "blank" ? above : statement;
      this.#cut({ start: gap.line.start, end: statement.line.end }, this.#lines(statement.comments));
    }
    if (!/^\s/.test(before)) this.#text = this.#text.replace(/^(\ufeff?)(?:\r?\n)+/, "$1");
    this.#statements = scanToml(this.#text);
  }

  #lines(lines: readonly string[]): string {
    return lines.map((line) => line + this.#newline).join("");
  }

  #add(path: Path, value: unknown): void {
    const parent = path.slice(0, -1);
    const key = String(path.at(-1));
    const around = this.#pairHolding(path);
    if (around !== undefined) {
      const old: unknown = parseToml(`x = ${this.#text.slice(around.value.start, around.value.end)}`)["x"];
      const inner = names(path.slice(around.path.length));
      this.#setPair(around, old, withValue(isTable(old) ? old : {}, inner, value));
      return;
    }
    const dotted = this.#pairs().findLast((pair) => startsWith(pair.path, parent) && pair.section.length < parent.length);
    if (dotted !== undefined) return this.#insertAfter(dotted.line, [...names(parent.slice(dotted.section.length)), key], value);
    const inList = parent.some((part) => typeof part === "number");
    if ((isTable(value) || isListOfTables(value)) && !inList) {
      const wrapped: TomlTable = {};
      setOwn(wrapped, key, value);
      return this.#addSections(path, isTable(value) ? formatSections(names(path), value) : formatSections(names(parent), wrapped), parent);
    }
    const header = this.#headers().find((h) => samePath(h.path, parent));
    if (parent.length === 0 || header !== undefined) return this.#insertIn(parent, header, key, value);
    const plain: TomlTable = {};
    setOwn(plain, key, value);
    this.#addSections(path, formatSections(names(parent), plain), parent);
  }

  #insertIn(section: Path, header: Header | undefined, key: string, value: unknown): void {
    const last = this.#pairs().findLast((pair) => samePath(pair.section, section)) ?? header;
    if (last !== undefined) return this.#insertAfter(last.line, [key], value);
    // A root key must come before the first section, and above the comments that belong to that section.
    const first = this.#statements.findIndex((s) => s.kind === "header");
    let at = first === -1 ? this.#statements.length : first;
    while (first !== -1 && this.#statements[at - 1]?.kind === "comment") at--;
    const before = this.#statements[at - 1];
    const start = before?.line.end ?? (this.#text.startsWith("\ufeff") ? 1 : 0);
    const gap = first === -1 ? "" : this.#newline;
    const lead = before !== undefined && !this.#text.slice(0, start).endsWith("\n") ? this.#newline : "";
    this.#splice({ start, end: start }, `${lead}${quoteKey(key)} = ${formatValue(value)}${this.#newline}${gap}`);
  }

  #insertAfter(line: Span, key: readonly string[], value: unknown): void {
    const [indent] = /^[ \t]*/.exec(this.#text.slice(line.start, line.end)) ?? [""];
    const lead = this.#text.slice(line.start, line.end).endsWith("\n") ? "" : this.#newline;
    this.#splice(
      { start: line.end, end: line.end },
      `${lead}${indent}${key.map(quoteKey).join(".")} = ${formatValue(value)}${this.#newline}`,
    );
  }

  /** New sections go after the last section of the same family, else to the end. */
  #addSections(path: Path, lines: readonly string[], family: Path): void {
    const kin = path.length > 1 ? this.#lastOf(family) : undefined;
    const body = this.#lines(lines[0] === "" ? lines.slice(1) : lines);
    if (kin === undefined) {
      const text = this.#text.trimEnd();
      const rest = text === "" || text === "\ufeff" ? text : text + this.#newline.repeat(2);
      this.#text = rest + body;
    } else {
      const lead = this.#text.slice(0, kin).endsWith("\n") ? this.#newline : this.#newline.repeat(2);
      this.#text = this.#text.slice(0, kin) + lead + body + this.#text.slice(kin);
    }
    this.#statements = scanToml(this.#text);
  }

  /** The end of the family's last section: after its keys and the comments directly below them. */
  #lastOf(family: Path): number | undefined {
    if (family.length === 0) return undefined;
    const last = this.#statements.findLastIndex(
      (s) => (s.kind === "header" && startsWith(s.path, family)) || (s.kind === "pair" && startsWith(s.section, family)),
    );
    let end = last;
    while (end >= 0 && this.#statements[end + 1]?.kind === "comment") end++;
    const next = this.#statements[end + 1]?.kind;
    return this.#statements[next === "header" ? last : end]?.line.end;
  }
}
