/** What the editor remembers about rules for commands beside the rules file: until when they hold, and who added them. */
import { isRecord } from "../../../../src/lib/is-record.ts";
import type { RuleNoteStore, RuleNotes } from "../../../../src/sessions/rules.ts";
import type { Memory } from "./memory.ts";

const key = "ruleNotes";

export const ruleNotesIn = (memory: Memory): RuleNoteStore => ({
  read: () => notesFrom(memory.get(key)),
  write: (notes) => memory.set(key, notes),
});

/** Stored by an older build, or damaged: what does not fit is dropped, and the rule then has no end. */
function notesFrom(value: unknown): RuleNotes {
  const text = (note: unknown, name: string): string | null => {
    const found = isRecord(note) ? note[name] : undefined;
    return typeof found === "string" ? found : null;
  };
  const entries = Object.entries(isRecord(value) ? value : {});
  return Object.fromEntries(entries.map(([id, note]) => [id, { expiresAt: text(note, "expiresAt"), addedBy: text(note, "addedBy") }]));
}
