/** The decisions and answers of each session, by whom and when: one small file per session, so that the transcript shows them after any restart. */
import { createHash } from "node:crypto";
import { mkdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { readBoundedTextSync } from "../lib/bounded-read.ts";
import { appendLineSync, replaceFileSync } from "../lib/durable-write.ts";
import { errorMessage } from "../lib/error-text.ts";
import { parse } from "../lib/schema.ts";
import { isCode } from "../lib/system-error.ts";
import type { PendingRequest } from "../sessions/records.ts";
import type { Ending } from "../sessions/requests.ts";
import { Decision } from "./api/records.ts";

/** Only the newest are kept per session. */
const maxKept = 1000;
/** A larger file is rewritten with the newest entries only; no file grows to more than twice this size. */
const maxBytes = 2 * 1024 * 1024;
const maxSummary = 2000;

export type Warn = (message: string, fields: Readonly<Record<string, unknown>>) => void;

export class Decisions {
  readonly #folder: string;
  readonly #warn: Warn;

  constructor(folder: string, warn: Warn) {
    this.#folder = path.join(folder, "decisions");
    this.#warn = warn;
  }

  /** A decision that cannot be written is still valid; it is only missing from the transcript. */
  add({ requestId, kind, threadId, turnId, itemId, callId, summary }: PendingRequest, ending: Ending): void {
    const { status, by, at, reason, decision, answers } = ending;
    const entry: Decision = {
      ...{
        requestId,
        kind,
        threadId,
        turnId,
        itemId: itemId ?? callId,
        summary: summary.slice(0, maxSummary),
        status,
        by,
        at,
        reason,
        decision,
      },
      ...(answers === undefined ? {} : { answers: [...answers] }),
    };
    const file = this.#file(threadId);
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      appendLineSync(file, JSON.stringify(entry));
      if (statSync(file).size > maxBytes) this.#shorten(threadId);
    } catch (error) {
      this.#warn("a decision could not be stored for the transcript", { error: errorMessage(error) });
    }
  }

  /** Oldest first. */
  of(threadId: string): Decision[] {
    try {
      return readBoundedTextSync(this.#file(threadId), 2 * maxBytes, { beyond: "cut" })
        .split("\n")
        .flatMap(decisionIn)
        .slice(-maxKept);
    } catch (error) {
      if (!isCode(error, "ENOENT")) this.#warn("decisions of a session could not be read", { error: errorMessage(error) });
      return [];
    }
  }

  forget(threadId: string): void {
    rmSync(this.#file(threadId), { force: true });
  }

  #shorten(threadId: string): void {
    const lines = this.of(threadId).map((decision) => `${JSON.stringify(decision)}\n`);
    const newest: string[] = [];
    let size = 0;
    for (const line of lines.toReversed()) {
      size += line.length;
      if (size > maxBytes / 2) break;
      newest.push(line);
    }
    replaceFileSync(this.#file(threadId), newest.toReversed().join(""), { mode: 0o600 });
  }

  /** An engine may use any thread ids, so they are not used as file names. */
  #file(threadId: string): string {
    return path.join(this.#folder, `${createHash("sha256").update(threadId).digest("hex").slice(0, 32)}.jsonl`);
  }
}

/** A torn or invalid line is skipped. */
function decisionIn(line: string): Decision[] {
  try {
    const decision = line === "" ? undefined : parse(Decision, JSON.parse(line));
    return decision === undefined ? [] : [decision];
  } catch {
    return [];
  }
}
