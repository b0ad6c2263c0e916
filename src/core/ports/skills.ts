/** Port: skills, which are folders with instructions that the model uses when a task needs them. */
import type { SkillSummary } from "../../protocol/plugin.ts";
import type { SkillsListEntry } from "../../protocol/skills.ts";
import type { SkillTexts } from "./core-ports.ts";

export interface Skills extends SkillTexts {
  /** The skills for a folder, with a reason for each broken file. `forceReload` reads the disk even if nothing seems to have changed. */
  list(cwd: string, options: { readonly forceReload: boolean }): Promise<SkillsListEntry>;
  /** Enables or disables one skill in the user's settings, by its SKILL.md or its name. Resolves to whether it is enabled now. */
  setEnabled(skill: { readonly path: string } | { readonly name: string }, enabled: boolean): Promise<boolean>;
  /** Additional folders for this process; replaces earlier ones. */
  setExtraRoots(roots: readonly string[]): void;
  /** The skills in a plugin's folder, installed or not, under the names they would have. */
  inPlugin(folder: string, plugin: { readonly id: string; readonly name: string; readonly root: string }): Promise<SkillSummary[]>;
  /** The SKILL.md files of the folder's project that are ignored because the user has not accepted them. */
  waiting(cwd: string): Promise<readonly string[]>;
  /** Accepts all of them as they are now. Rejects when that cannot be stored. */
  acceptWaiting(cwd: string): Promise<void>;
  /** Called when a skill may have been added, removed or changed. Watching starts with the first `list`. Returns an unsubscribe function. */
  onChange(listener: () => void): () => void;
  /** Ends the watching. */
  close(): void;
}
