/** Reads the rest of a list of sessions for the controller, in few batches. */
import type { SessionSummary } from "./model.ts";

export interface SessionPage {
  readonly sessions: readonly SessionSummary[];
  readonly nextCursor: string | null;
  readonly seq?: number | undefined;
}
export interface SessionBatch {
  readonly sessions: readonly SessionSummary[];
  /** Whether the list is complete with it. */
  readonly complete: boolean;
  /** The last event that it includes: it is as old as its oldest page. */
  readonly seq: number | undefined;
}

/** Each batch is as long as the list before it: thousands that came page by page would be sorted and drawn again with every page. */
export async function* sessionBatches(
  start: string | null,
  read: (cursor: string) => Promise<SessionPage>,
  shown: () => number,
): AsyncGenerator<SessionBatch> {
  let sessions: SessionSummary[] = [];
  let seq: number | undefined;
  for (let cursor = start; cursor !== null; ) {
    const page = await read(cursor).catch(() => undefined);
    sessions.push(...(page?.sessions ?? []));
    seq ??= page?.seq;
    cursor = page?.nextCursor ?? null;
    if (cursor !== null && sessions.length < shown()) continue;
    yield { sessions, complete: page !== undefined && cursor === null, seq };
    [sessions, seq] = [[], undefined];
  }
}
