/**
 * Implements the QuestionLog port: `$CODEX_HOME/parley/questions/<thread>.jsonl`, readable only by its owner. It is not part of the thread's
 * file, so a thread file from elsewhere cannot contain an answer, and Codex never reads a line that it does not know.
 */
import { readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import type { QuestionLog } from "../core/ports/open-questions.ts";
import { readBoundedText } from "../lib/bounded-read.ts";
import { appendLineSync, replaceFileSync } from "../lib/durable-write.ts";
import { isThreadId, ownFolder } from "./layout.ts";
import { lineOfEntry, linesOfQuestions, questionsIn } from "./rollout/question-lines.ts";

const maxBytes = 8 * 1024 * 1024;
/** Threads that died while asking and were never opened again; the oldest logs are removed first. */
const maxLogs = 500;

const folderOf = (home: string): string => path.join(ownFolder(home), "questions");
export const questionFile = (home: string, threadId: string): string => path.join(folderOf(home), `${threadId}.jsonl`);

export function createQuestionLog(home: string): QuestionLog {
  return {
    async write(threadId, questions) {
      prune(folderOf(home));
      replaceFileSync(questionFile(home, threadId), linesOfQuestions(questions), { mode: 0o600, sync: "none" });
    },
    async add(threadId, entry) {
      const line = lineOfEntry(entry);
      if (line !== undefined) appendLineSync(questionFile(home, threadId), line);
    },
    async read(threadId) {
      if (!isThreadId(threadId)) return undefined;
      const text = await readBoundedText(questionFile(home, threadId), maxBytes).catch(() => undefined);
      return text === undefined ? undefined : questionsIn(text);
    },
    async clear(threadId) {
      rmSync(questionFile(home, threadId), { force: true });
    },
  };
}

function prune(folder: string): void {
  const names = namesIn(folder);
  if (names.length < maxLogs) return;
  const at = (name: string): number => statSync(path.join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const logs = names.map((name) => ({ name, at: at(name) })).toSorted((a, b) => a.at - b.at);
  for (const { name } of logs.slice(0, names.length - maxLogs + 1)) rmSync(path.join(folder, name), { force: true });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // made with the first log
  }
}
