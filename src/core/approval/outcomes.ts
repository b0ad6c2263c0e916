/** Writes the outcomes of a turn's actions to the audit log. */
import type { AuditSubject } from "../ports/audit.ts";
import type { CorePorts } from "../ports/core-ports.ts";

export class Outcomes {
  readonly #ports: Pick<CorePorts, "audit" | "log">;
  readonly #writing = new Set<Promise<void>>();

  constructor(ports: Pick<CorePorts, "audit" | "log">) {
    this.#ports = ports;
  }

  /** Only the end of the turn waits for the write, and a failed write is only logged: the action has already run. */
  note(entry: AuditSubject, outcome: string): void {
    const { audit, log } = this.#ports;
    const written = audit.write({ ...entry, event: "ended", outcome }).catch((error: unknown) => log.warn(String(error)));
    this.#writing.add(written);
    void written.then(() => this.#writing.delete(written));
  }
  async written(): Promise<void> {
    await Promise.all(this.#writing);
  }
}
