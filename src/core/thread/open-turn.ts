/** Opens a thread whose process died while a question was open: what it left is settled in the store before the thread is shown. */
import type { ThreadItem } from "../../protocol/item.ts";
import type { AuditEntry } from "../ports/audit.ts";
import type { CorePorts } from "../ports/core-ports.ts";
import type { ThreadRecord } from "../ports/thread-store.ts";
import { findOpenTurn, type RevivedTurn } from "../turn/open-turn.ts";

export interface OpenedTurn {
  /** The thread's records, with what was settled. */
  readonly records: readonly ThreadRecord[];
  /** The turn that continues, if it does. */
  readonly revived: RevivedTurn | undefined;
}

/** Call with the thread's lease. Undefined when no question was open; such a turn stays interrupted. */
export async function openTurn(
  { store, questions, clock, audit, log }: CorePorts,
  threadId: string,
  records: readonly ThreadRecord[],
): Promise<OpenedTurn | undefined> {
  const found = await questions.read(threadId);
  const open = found === undefined ? undefined : findOpenTurn(records, found, clock.now());
  const forget = (): Promise<void> =>
    questions.clear(threadId).catch((error: unknown) => log.warn("a log of questions could not be removed", { error: String(error) }));
  if (found === undefined || open === undefined) {
    await forget();
    return undefined;
  }
  if (open.settled.length > 0) await store.append(threadId, open.settled);
  for (const item of open.lost) {
    const about = aboutItem(item);
    if (about !== undefined)
      await audit
        .write({ threadId, turnId: found.turn.turnId, itemId: item.id, ...about, event: "ended", outcome: "unknown: the server ended" })
        .catch((error: unknown) => log.warn(String(error)));
  }
  await (open.revived === undefined ? forget() : questions.write(threadId, open.revived.questions));
  return { records: [...records, ...open.settled], revived: open.revived };
}

function aboutItem(item: ThreadItem): Pick<AuditEntry, "kind" | "subject" | "cwd"> | undefined {
  if (item.type === "commandExecution") return { kind: "command", subject: item.command, cwd: item.cwd };
  if (item.type === "fileChange") return { kind: "fileChange", subject: item.changes.map((change) => change.path).join("\n") };
  return item.type === "mcpToolCall" ? { kind: "mcpToolCall", subject: `${item.server}.${item.tool}` } : undefined;
}
