/** Another agent's stored session: read line by line as untrusted text, and turned into the records of a thread. */

import type { ThreadRecord } from "../core/ports/thread-store.ts";
import { isRecord } from "../lib/is-record.ts";

export interface ForeignSession {
  readonly cwd: string;
  readonly title: string;
  readonly turns: readonly ForeignTurn[];
}
interface ForeignTurn {
  readonly asked: string;
  readonly answers: readonly string[];
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

const maxTitle = 120;
const most = { lines: 100_000, turns: 2000, answers: 2000, message: 100_000, call: 2000, result: 4000 };

/** Undefined when it has no message of a person, or does not say where it worked. */
export function readSession(text: string): ForeignSession | undefined {
  const turns: { asked: string; answers: string[]; startedAtMs: number; endedAtMs: number }[] = [];
  let cwd: string | undefined;
  let at = 0;
  for (let lines = 0; at < text.length && lines < most.lines; lines++) {
    const end = text.indexOf("\n", at);
    const line = text.slice(at, end === -1 ? text.length : end);
    at = end === -1 ? text.length : end + 1;
    const entry = entryIn(line);
    if (entry === undefined) continue;
    cwd ??= entry.cwd;
    const turn = turns.at(-1);
    if (entry.asked !== undefined) {
      if (turns.length >= most.turns) break;
      turns.push({ asked: entry.asked, answers: [], startedAtMs: entry.atMs, endedAtMs: entry.atMs });
    } else if (turn !== undefined && turn.answers.length < most.answers) {
      turn.answers.push(...entry.said);
      turn.endedAtMs = Math.max(turn.endedAtMs, entry.atMs);
    }
  }
  const [first] = turns;
  if (first === undefined || cwd === undefined) return undefined;
  return { cwd, title: (first.asked.trim().split("\n")[0] ?? "").slice(0, maxTitle), turns };
}

interface Entry {
  readonly cwd: string | undefined;
  readonly atMs: number;
  /** A message of the person. */
  readonly asked?: string;
  readonly said: readonly string[];
}

function entryIn(line: string): Entry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isRecord(value) || value["isSidechain"] === true || value["isMeta"] === true || !isRecord(value["message"])) return undefined;
  const { type, cwd, timestamp, message } = value;
  if (type !== "user" && type !== "assistant") return undefined;
  const parts = partsOf(message["content"]);
  const common = { cwd: typeof cwd === "string" && cwd.startsWith("/") ? cwd : undefined, atMs: Date.parse(String(timestamp)) || 0 };
  if (type === "assistant") return { ...common, said: parts.flatMap(({ text, call }) => text ?? call ?? []) };
  const asked = parts.flatMap(({ text }) => (text === undefined || isOfTheProgram(text) ? [] : [text])).join("\n");
  return asked.trim() === "" ? { ...common, said: parts.flatMap(({ result }) => result ?? []) } : { ...common, asked, said: [] };
}

/** What the other program put into the person's messages by itself. */
const isOfTheProgram = (text: string): boolean => /^\s*(?:<(?:command-|local-command|system-reminder|bash-)|Caveat: )/.test(text);

interface Part {
  readonly text?: string;
  readonly call?: string;
  readonly result?: string;
}

function partsOf(content: unknown): Part[] {
  if (typeof content === "string") return [{ text: content.slice(0, most.message) }];
  if (!Array.isArray(content)) return [];
  return content.slice(0, most.answers).flatMap((part: unknown): Part[] => {
    if (!isRecord(part)) return [];
    const { type, text, name, input, content: result } = part;
    if (type === "text" && typeof text === "string" && text.trim() !== "") return [{ text: text.slice(0, most.message) }];
    if (type === "tool_use") return [{ call: `[called ${String(name).slice(0, 100)}: ${shown(input, most.call)}]` }];
    return type === "tool_result" ? [{ result: `[result: ${shown(result, most.result)}]` }] : [];
  });
}

function shown(value: unknown, length: number): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length <= length ? text : `${text.slice(0, length)}… (${text.length - length} more characters)`;
}

/** The records of its turns; calls and results are plain text, since the other agent's tools are not ours. */
export function recordsOf({ turns }: ForeignSession, newId: () => string): ThreadRecord[] {
  return turns.flatMap(({ asked, answers, startedAtMs, endedAtMs }): ThreadRecord[] => {
    const turnId = newId();
    const times = { startedAtMs, completedAtMs: startedAtMs };
    const user = { type: "userMessage" as const, id: newId(), content: [{ type: "text" as const, text: asked, text_elements: [] }] };
    return [
      { type: "turnStarted", turnId, atMs: startedAtMs, contextWindow: undefined, mode: "default" },
      { type: "modelItem", turnId, item: { type: "message", role: "user", content: [{ type: "input_text", text: asked }] } },
      { type: "item", turnId, item: user, ...times },
      ...answers.flatMap((text): ThreadRecord[] => [
        { type: "modelItem", turnId, item: { type: "message", role: "assistant", content: [{ type: "output_text", text }] } },
        { type: "item", turnId, item: { type: "agentMessage", id: newId(), text }, startedAtMs: endedAtMs, completedAtMs: endedAtMs },
      ]),
      {
        ...{ type: "turnEnded", turnId, status: "completed", error: null, lastAgentMessage: answers.at(-1) ?? null },
        ...{ atMs: endedAtMs, durationMs: Math.max(0, endedAtMs - startedAtMs) },
      },
    ];
  });
}
