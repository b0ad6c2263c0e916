/** Saves what can be read of a damaged rollout: every line that is whole, mended where that is certain, with a first line that fits. */
import { parseLine } from "./line-records.ts";
import { isObject, type Json, objectOf, textOf } from "./shapes.ts";

export interface Problem {
  /** Counted from 1; 0 for what is missing altogether. */
  readonly line: number;
  readonly what: string;
}
export interface Repaired {
  /** Without line ends. Empty when nothing can be saved. */
  readonly lines: readonly string[];
  readonly problems: readonly Problem[];
}
/** What the file's name and place tell, for a first line that is gone. */
export interface KnownFacts {
  readonly id: string;
  readonly createdMs: number;
}

/** A program that appends after a crash without looking glues its line to the half one before it. */
const lineStart = /\{"timestamp":/g;

export function repairLines(text: string, known: KnownFacts): Repaired {
  const problems: Problem[] = [];
  const kept: (Found & { readonly line: number })[] = [];
  for (const [i, raw] of text.split("\n").entries()) {
    const line = i + 1;
    const note = (what: string): void => void problems.push({ line, what });
    if (raw.trim() !== "") kept.push(...valuesOf(raw, note).map((found) => ({ line, ...found })));
  }
  const metas = kept.filter(({ value }) => value["type"] === "session_meta");
  if (kept.length === metas.length && metas.length === 0) return { lines: [], problems };
  const [first] = metas;
  const rest = first === undefined || kept[0] === first ? kept : kept.filter((entry) => entry !== first);
  if (first === undefined) problems.push({ line: 0, what: "the first line is gone; it is written anew from what the others tell" });
  else if (kept[0] !== first) problems.push({ line: first.line, what: "the first line stood further below" });
  const head = first === undefined ? JSON.stringify(newMeta(kept, known)) : withId(first, known, problems);
  const body = rest[0] === first ? rest.slice(1) : rest;
  return { lines: [head, ...body.map((entry) => entry.text)], problems };
}

/** A line that is whole. Its text is kept as it is: numbers may be longer than ours. */
interface Found {
  readonly value: Json;
  readonly text: string;
}

/** The rollout lines inside of one line of text. */
function valuesOf(raw: string, note: (what: string) => void): readonly Found[] {
  const text = raw.replaceAll("\0", "");
  if (text.length !== raw.length) note("blocks of zero bytes are taken out");
  if (text.trim() === "") return [];
  if (text.includes("\ufffd") && !raw.includes("\\ufffd")) note("bytes that are no text are replaced");
  const whole = parsed(text);
  if (whole !== undefined) return [whole];
  const starts = [...text.matchAll(lineStart)].map(({ index }) => index);
  const parts = starts.map((from, i) => parsed(text.slice(from, starts[i + 1])));
  const found = parts.filter((part) => part !== undefined);
  note(
    found.length === 0 ? "cannot be read; it is left out" : `holds ${found.length} whole lines beside broken ones; the whole ones are kept`,
  );
  return found;
}

function parsed(text: string): Found | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && parseLine(text) !== undefined ? { value, text: text.trim() } : undefined;
  } catch {
    return undefined;
  }
}

function withId(meta: Found & { readonly line: number }, known: KnownFacts, problems: Problem[]): string {
  const payload = objectOf(meta.value["payload"]);
  if (textOf(payload["id"]).toLowerCase() === known.id) return meta.text;
  problems.push({ line: meta.line, what: "names another thread than the file does; the file's name holds" });
  return JSON.stringify({ ...meta.value, payload: { ...payload, id: known.id } });
}

function newMeta(kept: readonly { readonly value: Json }[], known: KnownFacts): Json {
  const context = kept.map(({ value }) => value).find((value) => value["type"] === "turn_context");
  const timestamp = new Date(known.createdMs).toISOString();
  const cwd = textOf(objectOf(context?.["payload"])["cwd"]) || "/";
  const payload = { id: known.id, timestamp, cwd, originator: "parley", cli_version: "0.0.0", source: "unknown", model_provider: null };
  return { timestamp, type: "session_meta", payload };
}

/** The same lines as a thread of its own: the id is another, and it tells where it comes from. */
export function asNewThread(lines: readonly string[], from: string, id: string): readonly string[] {
  return lines.map((line) => {
    const value = objectOf(JSON.parse(line));
    const payload = objectOf(value["payload"]);
    if (value["type"] === "session_meta" && textOf(payload["id"]).toLowerCase() === from)
      return JSON.stringify({ ...value, payload: { ...payload, id, forked_from_id: payload["forked_from_id"] ?? from } });
    return payload["thread_id"] === from ? JSON.stringify({ ...value, payload: { ...payload, thread_id: id } }) : line;
  });
}
