/** What hooks need of the thread and the turn that they run for. */
import type { ThreadItem } from "../../protocol/item.ts";
import type { RunningCommand } from "../ports/command-runner.ts";
import type { Config } from "../ports/config.ts";
import type { CorePorts } from "../ports/core-ports.ts";
import type { ModelItem } from "../ports/model-client.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import type { ThreadMeta } from "../ports/thread-store.ts";
import type { HookState } from "./hook-state.ts";

type HookPorts = "audience" | "audit" | "callMcpTool" | "clock" | "ids" | "log" | "outputs" | "personEnv" | "runner" | "surroundings";

export interface HookedThread {
  readonly id: string;
  readonly meta: ThreadMeta;
  /** Of its rollout. */
  readonly path: string | null;
  readonly settings: ThreadSettings;
  readonly config: Config;
  readonly hooks: HookState;
  readonly ports: Pick<CorePorts, HookPorts>;
}

export interface HookedTurn {
  readonly id: string;
  readonly thread: HookedThread;
  readonly signal: AbortSignal;
  /** What it runs ends with it. */
  readonly commands: { add(command: RunningCommand): void };
}

/** The way of a turn's items to the store and to clients. */
export interface ItemSink {
  start(item: ThreadItem): void;
  /** Stores the item, and what the model sees of it, then announces it. */
  complete(item: ThreadItem, forModel?: readonly ModelItem[]): Promise<void>;
}

/** A turn that hooks may stop, or add something to. */
export interface MomentTurn extends HookedTurn {
  readonly kind: "regular" | "review" | "compact" | "shell";
  readonly lastAgentMessage: string | null;
  readonly items: ItemSink & {
    /** Adds to what the model sees without showing an item. */
    addForModel(items: readonly ModelItem[]): Promise<void>;
  };
  /** A Stop hook has kept it from ending before. */
  wentOnByHook: boolean;
  interrupt(): void;
}
