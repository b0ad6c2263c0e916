/**
 * All turns of a thread as JSON, for the answers that carry them. Clients read a thread, open it and read it again within seconds: the text is
 * kept for as long as the store keeps the records from which it was made.
 */
import { turnsFrom } from "../core/context/replay.ts";
import type { ThreadRecord } from "../core/ports/thread-store.ts";
import type { LiveThread } from "../core/thread/thread.ts";
import { JsonText } from "../lib/json-text.ts";
import type { Thread } from "../protocol/thread.ts";
import type { Turn } from "../protocol/turn.ts";
import type { App } from "./app.ts";
import { tooLarge } from "./too-large.ts";

/** Longer texts are made again: what they take in memory counts for more. */
const mostKept = 8 * 1024 * 1024;

export interface WrittenTurns {
  readonly text: string;
  readonly lastId: string | undefined;
}
export interface KeptTurns extends WrittenTurns {
  /** How many records there were: of some stores they grow. */
  readonly count: number;
}

export const noTurns: WrittenTurns = { text: "[]", lastId: undefined };

/** Throws RpcError where no text is long enough for them. */
export function writtenTurns(turns: readonly Turn[], method: string): WrittenTurns {
  try {
    return { text: JSON.stringify(turns), lastId: turns.at(-1)?.id };
  } catch (error) {
    throw error instanceof RangeError && error.message === "Invalid string length" ? tooLarge(method) : error;
  }
}

/** The same for the turns in these records, which nobody changes. */
export function writtenRecords(records: readonly ThreadRecord[], method: string, { turnTexts }: App): WrittenTurns {
  const known = turnTexts.get(records);
  if (known?.count === records.length) return known;
  const written = writtenTurns(turnsFrom(records), method);
  if (written.text.length <= mostKept) turnTexts.set(records, { ...written, count: records.length });
  return written;
}

/** The same for a thread that is loaded. While a turn runs, nothing is kept. */
export async function writtenTurnsOf(thread: LiveThread, method: string, app: App): Promise<WrittenTurns> {
  const records = thread.ephemeral ? undefined : await app.threads.restingRecordsOf(thread);
  return records === undefined ? writtenTurns(await app.threads.turnsOf(thread), method) : writtenRecords(records, method, app);
}

/** An answer whose thread gets these turns. */
export function withWrittenTurns<T extends { readonly thread: Thread }>({ thread, ...others }: T, { text }: WrittenTurns): JsonText<T> {
  const head = JSON.stringify({ ...thread, turns: undefined }).slice(0, -1);
  const rest = JSON.stringify(others).slice(1, -1);
  return new JsonText(`{"thread":${head},"turns":${text}}${rest === "" ? "" : `,${rest}`}}`);
}
