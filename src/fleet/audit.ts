/** The audit log of a team in a fleet: one for all workers, in the engine. */
import { type Audit, AuditUnwritten } from "../core/ports/audit.ts";
import { errorMessage } from "../lib/error-text.ts";
import { persist } from "./persist.ts";
import type { WorkerState } from "./worker-state.ts";

export function createSharedAudit(worker: WorkerState, team: string): Audit {
  const never = new AbortController().signal;
  return {
    async write(entry) {
      const signal = worker.leases.find(entry.threadId)?.lost ?? never;
      const insert = "insert into parley.audit (team, thread, entry) values ($1, $2, $3)";
      const line = JSON.stringify({ at: new Date().toISOString(), worker: worker.member.id.name, ...entry });
      try {
        await persist(() => worker.engine.query(insert, [team, entry.threadId, line]), signal);
      } catch (error) {
        throw new AuditUnwritten(
          `the fleet's audit log cannot be written: ${errorMessage(error)}; nothing runs that is not written down first`,
          {
            cause: error,
          },
        );
      }
    },
  };
}
