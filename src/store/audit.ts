/** The audit log: `$CODEX_HOME/parley/audit/YYYY-MM.jsonl`, readable only by its owner, one event per line. */
import path from "node:path";
import { type Audit, type AuditEntry, AuditUnwritten } from "../core/ports/audit.ts";
import type { Clock } from "../core/ports/clock.ts";
import { appendLine } from "../lib/durable-write.ts";
import { reasonOf } from "./writing/disk.ts";

export function createAudit(codexHome: string, clock: Clock): Audit {
  const folder = path.join(codexHome, "parley", "audit");
  let tail: Promise<void> = Promise.resolve();
  return {
    write(entry: AuditEntry): Promise<void> {
      const at = new Date(clock.now()).toISOString();
      const line = JSON.stringify({ at, ...entry });
      const file = path.join(folder, `${at.slice(0, 7)}.jsonl`);
      const mine = tail
        .then(() => appendLine(file, line))
        .catch((error: unknown) => {
          const fix = "mend that and try again: nothing runs that is not written down first";
          throw new AuditUnwritten(`the audit log ${file} cannot be written: ${reasonOf(error, file)}; ${fix}`, { cause: error });
        });
      tail = mine.catch(() => {});
      return mine;
    },
  };
}
