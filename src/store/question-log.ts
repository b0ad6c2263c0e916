/**
 * Implements the QuestionLog port: `$CODEX_HOME/parley/questions/<thread>.jsonl`, readable only by its owner. It is not part of the thread's
 * file, so a thread file from elsewhere cannot contain an answer, and Codex never reads a line that it does not know.
 */
import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { AskingTurnEntry, CallEntry, OpenQuestions, QuestionLog } from "../core/ports/open-questions.ts";
import { readBoundedText } from "../lib/bounded-read.ts";
import { appendLine, replaceFileSync } from "../lib/durable-write.ts";
import { parseJson } from "../lib/parse-json.ts";
import { fitsOnce } from "../lib/schema.ts";
import { AskForApproval, SandboxPolicy } from "../protocol/policy.ts";
import { isThreadId, ownFolder } from "./layout.ts";
import { isObject, isString, isThreadItem, type Json } from "./rollout/shapes.ts";
import { isThreadSettings } from "./rollout/turn-context.ts";

const maxBytes = 8 * 1024 * 1024;
/** More entries than any answer's calls can need. */
const maxEntries = 2000;
/** Threads that died while asking and were never opened again; the oldest logs are removed first. */
const maxLogs = 500;
/** A longer answer is not stored: its question is asked again. A longer item is left out. */
const maxPartLength = 256 * 1024;

const folderOf = (home: string): string => path.join(ownFolder(home), "questions");
export const questionFile = (home: string, threadId: string): string => path.join(folderOf(home), `${threadId}.jsonl`);

export function createQuestionLog(home: string): QuestionLog {
  return {
    async write(threadId, { turn, calls }) {
      const lines = [turn, ...calls].flatMap((entry) => lineOf(entry) ?? []);
      await prune(folderOf(home));
      replaceFileSync(questionFile(home, threadId), `${lines.join("\n")}\n`, { mode: 0o600, sync: "none" });
    },
    async add(threadId, entry) {
      const line = lineOf(entry);
      if (line !== undefined) await appendLine(questionFile(home, threadId), line);
    },
    async read(threadId) {
      if (!isThreadId(threadId)) return undefined;
      const text = await readBoundedText(questionFile(home, threadId), maxBytes).catch(() => undefined);
      return text === undefined ? undefined : questionsIn(text);
    },
    clear: (threadId) => rm(questionFile(home, threadId), { force: true }),
  };
}

function lineOf(entry: AskingTurnEntry | CallEntry): string | undefined {
  const line = JSON.stringify(entry);
  if (line.length <= maxPartLength) return line;
  if (entry.type === "answered") return undefined;
  return entry.type === "asked" || entry.type === "begun" ? JSON.stringify({ ...entry, item: undefined }) : line;
}

/** Without its line end, the last line was not completed: nothing that it announces was done. */
function questionsIn(text: string): OpenQuestions | undefined {
  const lines = text.split("\n").slice(0, -1);
  if (lines.length === 0 || lines.length > maxEntries) return undefined;
  const [turn, ...calls] = lines.map(parseJson);
  return isTurn(turn) && calls.every(isCall) ? { turn, calls } : undefined;
}

const isStrings = (value: unknown): value is string[] => Array.isArray(value) && value.every(isString);

const isTurn = (value: unknown): value is AskingTurnEntry =>
  isObject(value) &&
  value["type"] === "turn" &&
  isString(value["turnId"]) &&
  isThreadSettings(value["settings"]) &&
  isLimits(value["configured"]) &&
  isLimits(value["ofThread"]) &&
  isThreadSettings({ ...value["settings"], ...(isObject(value["overrides"]) ? value["overrides"] : {}) }) &&
  isStrings(value["waiting"]);

const isLimits = (value: unknown): boolean =>
  isObject(value) && fitsOnce(SandboxPolicy(), value["sandboxPolicy"]) && fitsOnce(AskForApproval(), value["approvalPolicy"]);

function isCall(value: unknown): value is CallEntry {
  if (!isObject(value) || !isString(value["callId"])) return false;
  const hasItem = value["item"] === undefined || isThreadItem(value["item"]);
  switch (value["type"]) {
    case "entered":
      return true;
    case "asked":
      return isString(value["digest"]) && hasItem;
    case "begun":
      return hasItem;
    case "answered":
      return isString(value["digest"]) && isGiven(value["answer"]);
    default:
      return false;
  }
}

const isGiven = (value: unknown): boolean => isObject(value) && isString(value["by"]) && isAnswer(value);
const isAnswer = ({ kind, message, result }: Json): boolean =>
  kind === "answered" ? result !== undefined : kind === "refused" && isString(message);

async function prune(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  if (names.length < maxLogs) return;
  const logs = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(path.join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0 })),
  );
  logs.sort((a, b) => a.at - b.at);
  for (const { name } of logs.slice(0, names.length - maxLogs + 1)) await rm(path.join(folder, name), { force: true });
}
