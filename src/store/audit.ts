/** The audit log: `$CODEX_HOME/parley/audit/YYYY-MM.jsonl`, readable only by its owner, one event per line. */
import path from "node:path";
import { type Audit, type AuditEntry, AuditUnwritten } from "../core/ports/audit.ts";
import type { Clock } from "../core/ports/clock.ts";
import { appendLineSync } from "../lib/durable-write.ts";
import { reasonOf } from "./writing/disk.ts";

export function createAudit(codexHome: string, clock: Clock): Audit {
  const folder = path.join(codexHome, "parley", "audit");
  return {
    async write(entry: AuditEntry): Promise<void> {
      const at = new Date(clock.now()).toISOString();
      const file = path.join(folder, `${at.slice(0, 7)}.jsonl`);
      try {
        appendLineSync(file, JSON.stringify({ at, ...entry }));
      } catch (error) {
        const fix = "mend that and try again: nothing runs that is not written down first";
        throw new AuditUnwritten(`the audit log ${file} cannot be written: ${reasonOf(error, file)}; ${fix}`, { cause: error });
      }
    },
  };
}
