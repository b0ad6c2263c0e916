/** The audit book: `$CODEX_HOME/parley/audit/YYYY-MM.jsonl`, readable by its owner alone, one line an event. */
import { appendFile, mkdir } from "node:fs/promises";
import path from "node:path";
import type { Audit, AuditEntry } from "../core/ports/audit.ts";
import type { Clock } from "../core/ports/clock.ts";

export function createAudit(codexHome: string, clock: Clock): Audit {
  const folder = path.join(codexHome, "parley", "audit");
  let tail: Promise<void> = Promise.resolve();
  let isThere = false;
  return {
    write(entry: AuditEntry): Promise<void> {
      const at = new Date(clock.now()).toISOString();
      const line = `${JSON.stringify({ at, ...entry })}\n`;
      const mine = tail.then(async () => {
        if (!isThere) await mkdir(folder, { recursive: true, mode: 0o700 });
        isThere = true;
        await appendFile(path.join(folder, `${at.slice(0, 7)}.jsonl`), line, { mode: 0o600 });
      });
      tail = mine.catch(() => {});
      return mine;
    },
  };
}
