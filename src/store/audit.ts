/** The audit book: `$CODEX_HOME/parley/audit/YYYY-MM.jsonl`, readable by its owner alone, one line an event. */
import { appendFile, mkdir } from "node:fs/promises";
import path from "node:path";
import { type Audit, type AuditEntry, AuditUnwritten } from "../core/ports/audit.ts";
import type { Clock } from "../core/ports/clock.ts";
import { isCode } from "../lib/system-error.ts";
import { reasonOf } from "./disk.ts";

export function createAudit(codexHome: string, clock: Clock): Audit {
  const folder = path.join(codexHome, "parley", "audit");
  let tail: Promise<void> = Promise.resolve();
  return {
    write(entry: AuditEntry): Promise<void> {
      const at = new Date(clock.now()).toISOString();
      const line = `${JSON.stringify({ at, ...entry })}\n`;
      const file = path.join(folder, `${at.slice(0, 7)}.jsonl`);
      const mine = tail
        .then(() => append(file, line))
        .catch((error: unknown) => {
          const fix = "mend that and try again: nothing runs that is not written down first";
          throw new AuditUnwritten(`the audit book ${file} cannot be written: ${reasonOf(error, file)}; ${fix}`, { cause: error });
        });
      tail = mine.catch(() => {});
      return mine;
    },
  };
}

/** Makes the folder when it is missing, also when somebody took it away meanwhile. */
async function append(file: string, line: string): Promise<void> {
  try {
    await appendFile(file, line, { mode: 0o600 });
  } catch (error) {
    if (!isCode(error, "ENOENT")) throw error;
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await appendFile(file, line, { mode: 0o600 });
  }
}
