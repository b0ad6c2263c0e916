/** Opens a thread whose process died while a question was open: what it left is settled in the store before the thread is shown. */
import type { ThreadItem } from "../../protocol/item.ts";
import type { AuditEntry } from "../ports/audit.ts";
import type { CorePorts } from "../ports/core-ports.ts";
import type { ThreadRecord } from "../ports/thread-store.ts";
import { findLostTurn, findOpenTurn, type RevivedTurn } from "../turn/open-turn.ts";

export interface OpenedTurn {
  /** The thread's records, with what was settled. */
  readonly records: readonly ThreadRecord[];
  /** The turn that continues, if it does. */
  readonly revived: RevivedTurn | undefined;
  /** The turn of a worker that died was ended here: nobody has stopped it. */
  readonly isEnded?: boolean;
}

/**
 * Call with the thread's lease. Undefined when no question was open; such a turn stays interrupted. In a fleet it is ended in the store, so that
 * all workers see the same end, unless it is one that `continues` after a loss.
 */
export async function openTurn(
  { store, questions, clock, audit, log }: CorePorts,
  threadId: string,
  records: readonly ThreadRecord[],
  continues: boolean,
): Promise<OpenedTurn | undefined> {
  const found = await questions.read(threadId);
  const opening = { nowMs: clock.now(), continues };
  const open = found === undefined ? undefined : findOpenTurn(records, found, opening);
  const forget = (): Promise<void> =>
    questions.clear(threadId).catch((error: unknown) => log.warn("a log of questions could not be removed", { error: String(error) }));
  if (found === undefined || open === undefined) {
    await forget();
    if (store.isShared !== true) return undefined;
    const { settled, revived } = findLostTurn(records, opening);
    if (settled.length > 0) await store.append(threadId, settled);
    return { records: [...records, ...settled], revived, isEnded: settled.length > 0 && revived === undefined };
  }
  if (open.settled.length > 0) await store.append(threadId, open.settled);
  for (const item of open.lost) {
    const about = aboutItem(item);
    if (about !== undefined)
      await audit
        .write({ threadId, turnId: found.turn.turnId, itemId: item.id, ...about, event: "ended", outcome: "unknown: the server ended" })
        .catch((error: unknown) => log.warn(String(error)));
  }
  const left = open.revived?.questions;
  await (left === undefined ? forget() : questions.write(threadId, left));
  return { records: [...records, ...open.settled], revived: open.revived };
}

function aboutItem(item: ThreadItem): Pick<AuditEntry, "kind" | "subject" | "cwd"> | undefined {
  if (item.type === "commandExecution") return { kind: "command", subject: item.command, cwd: item.cwd };
  if (item.type === "fileChange") return { kind: "fileChange", subject: item.changes.map((change) => change.path).join("\n") };
  return item.type === "mcpToolCall" ? { kind: "mcpToolCall", subject: `${item.server}.${item.tool}` } : undefined;
}
