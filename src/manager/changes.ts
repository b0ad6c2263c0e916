/** Counts what each session has changed in files, at the end of its turns: for the rows of the session list. */
import { errorMessage } from "../lib/error-text.ts";
import type { SessionChanges } from "../sessions/records.ts";
import type { Session } from "../sessions/sessions.ts";

export interface ChangePorts {
  /** The diff of everything that the session has changed. */
  diff(session: Session): Promise<string>;
  read(): Readonly<Record<string, SessionChanges>>;
  write(changes: Record<string, SessionChanges>): void;
  changed(session: Session): void;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** Only the newest are kept; older sessions are shown without counts. */
const kept = 2000;

export class ChangeCounts {
  readonly #ports: ChangePorts;
  readonly #waiting = new Map<string, Session>();
  #isCounting = false;

  constructor(ports: ChangePorts) {
    this.#ports = ports;
  }

  /** Counts soon: one session after another, so that many turns that end at once do not load the engine. */
  count(session: Session): void {
    this.#waiting.set(session.id, session);
    if (this.#isCounting) return;
    this.#isCounting = true;
    this.#work()
      .catch((error: unknown) => this.#ports.warn("changes of sessions could not be counted", { error: errorMessage(error) }))
      .finally(() => {
        this.#isCounting = false;
      });
  }

  async #work(): Promise<void> {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      try {
        this.#note(next, countsOf(await this.#ports.diff(next)));
      } catch (error) {
        this.#ports.warn("the changes of a session could not be counted", { session: next.id, error: errorMessage(error) });
      }
    }
  }

  #next(): Session | undefined {
    const [session] = this.#waiting.values();
    if (session !== undefined) this.#waiting.delete(session.id);
    return session;
  }

  #note(session: Session, changes: SessionChanges): void {
    const before = this.#ports.read();
    if (JSON.stringify(before[session.id]) === JSON.stringify(changes)) return;
    const { [session.id]: _, ...rest } = before;
    const next = changes.files === 0 ? rest : { ...rest, [session.id]: changes };
    this.#ports.write(Object.fromEntries(Object.entries(next).slice(-kept)));
    this.#ports.changed(session);
  }
}

/** Files and lines of a unified diff. Lines are counted inside hunks only: a removed line may itself begin with `--`. */
export function countsOf(diff: string): SessionChanges {
  const counts = { files: 0, added: 0, removed: 0 };
  let [oldLeft, newLeft] = [0, 0];
  for (const line of diff.split("\n")) {
    if (oldLeft > 0 || newLeft > 0) {
      const sign = line[0];
      if (sign === "+") {
        counts.added++;
        newLeft--;
      } else if (sign === "-") {
        counts.removed++;
        oldLeft--;
      } else if (sign !== "\\") {
        oldLeft--;
        newLeft--;
      }
      continue;
    }
    if (line.startsWith("diff --git ")) counts.files++;
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    if (hunk !== null) [oldLeft, newLeft] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
  }
  return counts;
}
