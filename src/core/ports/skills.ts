/** Port: skills, which are folders with instructions for the model to use when a task calls for them. */
import type { SkillSummary } from "../../protocol/plugin.ts";
import type { SkillsListEntry } from "../../protocol/skills.ts";
import type { SkillTexts } from "./core-ports.ts";

export interface Skills extends SkillTexts {
  /** What there is for a folder, with a reason for each broken file. `forceReload` looks at the disk even where nothing seems to have changed. */
  list(cwd: string, options: { readonly forceReload: boolean }): Promise<SkillsListEntry>;
  /** Switches one skill in the user's settings, named by its SKILL.md or by its name. Resolves to whether it is on now. */
  setEnabled(skill: { readonly path: string } | { readonly name: string }, enabled: boolean): Promise<boolean>;
  /** Folders of this process beside the usual ones; replaces the earlier ones. */
  setExtraRoots(roots: readonly string[]): void;
  /** The skills in a folder of a plugin, installed or not, named as they would be. */
  inPlugin(folder: string, plugin: { readonly id: string; readonly name: string; readonly root: string }): Promise<SkillSummary[]>;
  /** The SKILL.md files of the folder's project that are void because the user has not agreed to them. */
  waiting(cwd: string): Promise<readonly string[]>;
  /** Agrees to all of them as they are now. Rejects when that cannot be kept. */
  acceptWaiting(cwd: string): Promise<void>;
  /** Called when a skill may have come, gone or changed. Watching starts with the first `list`. Returns what ends the calls. */
  onChange(listener: () => void): () => void;
  /** Ends the watching. */
  close(): void;
}
