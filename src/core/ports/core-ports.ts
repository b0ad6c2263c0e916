/** Everything the agent needs from outside, as one value that the composition root makes. Functions take the few they use. */

import type { UserInput } from "../../protocol/item.ts";
import type { Audience } from "./audience.ts";
import type { Audit } from "./audit.ts";
import type { Ids, Timers } from "./clock.ts";
import type { CommandRunner } from "./command-runner.ts";
import type { Config, ConfigStore } from "./config.ts";
import type { ExecPolicy } from "./exec-policy.ts";
import type { Log } from "./log.ts";
import type { McpServers } from "./mcp.ts";
import type { Memories } from "./memories.ts";
import type { ModelCatalog, ModelClients } from "./model-client.ts";
import type { Notifier } from "./notifier.ts";
import type { QuestionLog } from "./open-questions.ts";
import type { OutputFiles } from "./output-files.ts";
import type { ModelChoice, ThreadSettings } from "./settings.ts";
import type { Snapshots } from "./snapshots.ts";
import type { Surroundings } from "./surroundings.ts";
import type { ThreadStore } from "./thread-store.ts";
import type { ThreadWorkspaces } from "./thread-workspace.ts";
import type { ToolSource } from "./tool.ts";
import type { UndoStore } from "./undo-store.ts";
import type { Usage } from "./usage.ts";
import type { MachineFolders, Workspace } from "./workspace.ts";

export interface CorePorts {
  readonly version: string;
  /** Name, version and processor of the operating system. */
  readonly system: string;
  readonly audience: Audience;
  readonly clock: Timers;
  readonly ids: Ids;
  readonly log: Log;
  readonly store: ThreadStore;
  readonly config: ConfigStore;
  readonly models: ModelClients;
  readonly catalog: ModelCatalog;
  /** The model and provider for a thread: as requested, else as configured, else any that has a key. */
  chooseModel(config: Config, model: string | null | undefined, provider: string | null | undefined): { model: string; provider: string };
  /** Why no model is available for these settings: none is set up, and the offline tour would play. undefined: one is, or the tour was requested. */
  whyNoModel(config: Config, provider: string): string | undefined;
  /** Built-in tools first: a later source cannot shadow an earlier name. */
  readonly tools: readonly ToolSource[];
  readonly runner: CommandRunner;
  /** The environment that commands get under a config's policy. */
  commandEnv(config: Config): Readonly<Record<string, string>>;
  /** The environment of the user's own programs: hooks. */
  readonly personEnv: Readonly<Record<string, string>>;
  callMcpTool: McpServers["callTool"];
  readonly audit: Audit;
  readonly workspace: Workspace;
  /** Folders that are made for threads which ask for one; only where there are machines to choose from. */
  readonly threadWorkspaces?: ThreadWorkspaces | undefined;
  readonly undo: UndoStore;
  readonly questions: QuestionLog;
  readonly outputs: OutputFiles;
  readonly windows: ModelWindows;
  readonly snapshots: Snapshots;
  /** Paths on this machine that the rules for edits must know. */
  readonly places: MachineFolders;
  /** The rules that apply to a config: the user's, and a trusted project's. */
  execPolicy(config: Config): Promise<ExecPolicy>;
  readonly surroundings: Surroundings;
  readonly memories?: Pick<Memories, "summary">;
  readonly skills?: SkillTexts;
  readonly usage?: Usage;
  readonly notifier: Notifier;
  /** Ends what the agents below a thread do, when the person interrupts it. */
  readonly agents?: { interruptBelow(threadId: string): Promise<void> };
}

/** The longest request that a model accepts, as learned from refusals. */
export interface ModelWindows {
  of(model: ModelChoice): number | undefined;
  learn(model: ModelChoice, tokens: number): void;
}

/** The text that skills add to a conversation. */
export interface SkillTexts {
  /** The list of usable skills for the model; undefined when there are none. */
  catalogue(settings: ThreadSettings, config: Config): Promise<string | undefined>;
  /** One text for each skill that the input names, by item or by `$name`. */
  injections(content: readonly UserInput[], settings: ThreadSettings, config: Config): Promise<readonly string[]>;
}
