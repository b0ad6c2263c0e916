/** Recovers what is readable of a damaged rollout: every complete line, repaired where that is certain, with a matching first line. */
import { parseLine } from "./line-records.ts";
import { isObject, type Json, objectOf, textOf } from "./shapes.ts";

export interface Problem {
  /** Counted from 1; 0 for something that is missing. */
  readonly line: number;
  readonly what: string;
}
export interface Repaired {
  /** Without line ends. Empty if nothing can be recovered. */
  readonly lines: readonly string[];
  readonly problems: readonly Problem[];
}
/** Facts from the file's name and path, for a first line that is missing. */
export interface KnownFacts {
  readonly id: string;
  readonly createdMs: number;
}

/** A program that appends after a crash without checking joins its line to the incomplete one before it. */
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
  if (first === undefined) problems.push({ line: 0, what: "the first line is missing; it is rewritten from the facts in the others" });
  else if (kept[0] !== first) problems.push({ line: first.line, what: "the first line was further down" });
  const head = first === undefined ? JSON.stringify(newMeta(kept, known)) : withId(first, known, problems);
  const body = rest[0] === first ? rest.slice(1) : rest;
  return { lines: [head, ...body.map((entry) => entry.text)], problems };
}

/** A complete line. Its text is kept unchanged: numbers may be longer than ours. */
interface Found {
  readonly value: Json;
  readonly text: string;
}

/** The rollout lines inside one line of text. */
function valuesOf(raw: string, note: (what: string) => void): readonly Found[] {
  const text = raw.replaceAll("\0", "");
  if (text.length !== raw.length) note("blocks of zero bytes are removed");
  if (text.trim() === "") return [];
  if (text.includes("\ufffd") && !raw.includes("\\ufffd")) note("bytes that are not text are replaced");
  const whole = parsed(text);
  if (whole !== undefined) return [whole];
  const starts = [...text.matchAll(lineStart)].map(({ index }) => index);
  const parts = starts.map((from, i) => parsed(text.slice(from, starts[i + 1])));
  const found = parts.filter((part) => part !== undefined);
  note(
    found.length === 0
      ? "cannot be read; it is left out"
      : `contains ${found.length} complete lines besides broken ones; the complete ones are kept`,
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
  problems.push({ line: meta.line, what: "names another thread than the file does; the file's name is used" });
  return JSON.stringify({ ...meta.value, payload: { ...payload, id: known.id } });
}

function newMeta(kept: readonly { readonly value: Json }[], known: KnownFacts): Json {
  const context = kept.map(({ value }) => value).find((value) => value["type"] === "turn_context");
  const timestamp = new Date(known.createdMs).toISOString();
  const cwd = textOf(objectOf(context?.["payload"])["cwd"]) || "/";
  const payload = { id: known.id, timestamp, cwd, originator: "parley", cli_version: "0.0.0", source: "unknown", model_provider: null };
  return { timestamp, type: "session_meta", payload };
}

/** The same lines as a separate thread: with a new id and a reference to the original. */
export function asNewThread(lines: readonly string[], from: string, id: string): readonly string[] {
  return lines.map((line) => {
    const value = objectOf(JSON.parse(line));
    const payload = objectOf(value["payload"]);
    if (value["type"] === "session_meta" && textOf(payload["id"]).toLowerCase() === from)
      return JSON.stringify({ ...value, payload: { ...payload, id, forked_from_id: payload["forked_from_id"] ?? from } });
    return payload["thread_id"] === from ? JSON.stringify({ ...value, payload: { ...payload, thread_id: id } }) : line;
  });
}
