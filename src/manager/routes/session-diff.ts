/** Reads the data for a session's diff from the engine: its turns, and the current files. */

import { RpcError } from "../../client/client.ts";
import type { Turn } from "../../protocol/turn.ts";
import type { EngineLink } from "../../sessions/link.ts";
import { isUnsupported } from "../../sessions/refusals.ts";
import { readTurns, type Session, withLiveTurn } from "../../sessions/sessions.ts";
import { diffOfSession, type KeptFile, type SessionDiff } from "../session-diff.ts";

const pageSize = 200;
/** Limits long sessions to their last turns. */
const maxPages = 100;

interface Wanted {
  readonly scope?: "session" | "turn";
  readonly turnId?: string;
}

export async function readDiff(
  link: EngineLink,
  session: Session,
  wanted: Wanted,
): Promise<SessionDiff & { scope: "session" | "turn"; turnId: string | null }> {
  const scope = wanted.scope ?? (wanted.turnId === undefined ? "session" : "turn");
  const turns = await allTurns(link, session);
  const kept = await keptFiles(link, session.id, turns);
  const turnId = wanted.turnId ?? turns.findLast((turn) => changesFiles(turn) || kept.has(turn.id))?.id ?? null;
  const known = turnId === null || kept.has(turnId) ? undefined : session.diffs.get(turnId);
  // The engine's own diff of a turn is better than its patches: it saw each file before the turn.
  if (scope === "turn" && known !== undefined && known !== "") return { scope, turnId, diff: known, inexact: [], truncated: false };
  const only = scope === "turn" ? (turnId ?? "") : undefined;
  const made = await diffOfSession({
    ...{ turns, turnId: only, cwd: session.thread.cwd },
    kept: (id) => kept.get(id) ?? [],
    read: (path) => readFile(link, path),
  });
  return { scope, turnId: scope === "turn" ? turnId : null, ...made };
}

/** Engines keep the files of a few hundred turns at most. */
const maxKeptTurns = 300;

/** By turn, for turns in which files may have changed. */
async function keptFiles(link: EngineLink, threadId: string, turns: readonly Turn[]): Promise<ReadonlyMap<string, readonly KeptFile[]>> {
  const found = new Map<string, readonly KeptFile[]>();
  const mayHaveChanged = turns.filter((turn) => turn.items.some(({ type }) => type === "commandExecution" || type === "fileChange"));
  for (const { id } of mayHaveChanged.slice(-maxKeptTurns)) {
    try {
      const { files } = await link.call("turn/files/read", { threadId, turnId: id });
      if (files.length > 0) found.set(id, files);
    } catch (error) {
      if (error instanceof RpcError) return found;
      throw error;
    }
  }
  return found;
}

const changesFiles = (turn: Turn): boolean => turn.items.some((item) => item.type === "fileChange" && item.status === "completed");

async function allTurns(link: EngineLink, session: Session): Promise<Turn[]> {
  const turns: Turn[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < maxPages; page++) {
    const read = await readTurns(link, session.id, cursor, pageSize);
    turns.push(...read.data);
    cursor = read.nextCursor;
    if (cursor === null) break;
  }
  return withLiveTurn(session, turns).toReversed();
}

async function readFile(link: EngineLink, path: string): Promise<Uint8Array | undefined> {
  try {
    return Buffer.from((await link.call("fs/readFile", { path })).dataBase64, "base64");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Whether the engine's error means that the path does not exist. */
export const isMissing = (error: unknown): boolean =>
  error instanceof RpcError && !isUnsupported(error) && /no such file|os error 2\b|not found|ENOENT/i.test(error.message);
