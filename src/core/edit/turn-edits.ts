/** The file changes of one turn, by its patches and its commands. */
import type { CorePorts } from "../ports/core-ports.ts";
import { accessIn, resolvedFiles } from "../ports/file-access.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import type { TurnKey } from "../ports/undo-store.ts";
import { TurnFiles } from "./turn-diff.ts";
import { TurnSnapshot } from "./turn-snapshot.ts";

type EditPorts = Pick<CorePorts, "audience" | "clock" | "log" | "snapshots" | "surroundings" | "undo" | "workspace">;

export interface EditedBy {
  readonly key: TurnKey;
  /** Where the turn may currently write. */
  readonly settings: () => ThreadSettings;
  readonly ports: EditPorts;
  /** Whether the thread is ephemeral, so that nothing is stored for undo. */
  readonly ephemeral: boolean;
  /** Another process began the turn, and has kept what it changed for undo. */
  readonly isRevived: boolean;
}

export class TurnEdits {
  readonly #by: EditedBy;
  #files: Promise<TurnFiles> | undefined;
  /** The file changes of its commands. */
  readonly snapshot: TurnSnapshot;
  /** The diff that clients were last notified of. */
  announcedDiff = "";

  constructor(by: EditedBy) {
    this.#by = by;
    const scope = () => {
      const settings = by.settings();
      const files = resolvedFiles(settings);
      const accessAt = files === undefined ? undefined : accessIn(files);
      const isDenied = (file: string): boolean => accessAt?.(file) === "deny";
      return { roots: settings.workspaceRoots, mayWrite: settings.sandboxPolicy.type !== "readOnly", isDenied };
    };
    this.snapshot = new TurnSnapshot(by.key, scope, by.ephemeral ? undefined : by.ports);
  }

  /** The files that its patches have changed; kept for its diff and for undo. */
  files(): Promise<TurnFiles> {
    this.#files ??= this.#open().catch((error: unknown) => {
      this.#files = undefined; // the next patch tries again
      throw error;
    });
    return this.#files;
  }
  async #open(): Promise<TurnFiles> {
    const { key, settings, ports, ephemeral, isRevived } = this.#by;
    const { cwd } = settings();
    const root = await ports.surroundings.repositoryRoot(cwd);
    const { real } = await ports.workspace.locate(root ?? cwd);
    const files = new TurnFiles(key, real, { workspace: ports.workspace, undo: ephemeral ? undefined : ports.undo, log: ports.log });
    if (isRevived) files.restore((await ports.undo.read(key)) ?? []);
    return files;
  }
}
