/** The parts of a thread and turn that hooks need. */
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
  /** The path of its rollout. */
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
  /** Commands added here end with the turn. */
  readonly commands: { add(command: RunningCommand): void };
}

/** Stores a turn's items and announces them to clients. */
export interface ItemSink {
  start(item: ThreadItem): void;
  /** Stores the item with its history items for the model, then announces it. */
  complete(item: ThreadItem, forModel?: readonly ModelItem[]): Promise<void>;
}

/** A turn that hooks may stop or add to. */
export interface MomentTurn extends HookedTurn {
  readonly kind: "regular" | "review" | "compact" | "shell";
  readonly lastAgentMessage: string | null;
  readonly items: ItemSink & {
    /** Adds to the model's history without showing an item. */
    addForModel(items: readonly ModelItem[]): Promise<void>;
  };
  /** A Stop hook has already kept it from ending. */
  wentOnByHook: boolean;
  interrupt(): void;
}
