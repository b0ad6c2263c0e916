/** The leases in stand-ins for protected names come and go with commands: they are nobody's changes, and undo must not bring one back. */
import type { Snapshots } from "../../core/ports/snapshots.ts";
import { isLease } from "./placeholders.ts";

export function withoutLeases(snapshots: Snapshots): Snapshots {
  return {
    warm: (roots) => snapshots.warm(roots),
    async take(roots) {
      const taken = await snapshots.take(roots);
      if (taken === undefined) return undefined;
      return {
        changes: async () => (await taken.changes()).filter((change) => !isLease(change.path)),
        close: () => taken.close(),
      };
    },
  };
}
