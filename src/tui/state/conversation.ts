/** The state of the shown thread: pure data, built from notifications by reduce.ts and drawn by draw/. */
import type { FileUpdateChange } from "../../protocol/item.ts";
import type { AskForApproval, SandboxPolicy } from "../../protocol/policy.ts";
import type { ThreadTokenUsage } from "../../protocol/thread.ts";
import type { TurnPlanStep } from "../../protocol/turn.ts";
import type { Entry, Look } from "./entry.ts";
import type { Stream } from "./stream.ts";

export interface Settings {
  readonly cwd: string;
  readonly model: string;
  readonly provider: string;
  readonly effort: string | undefined;
  readonly approvalPolicy: AskForApproval;
  readonly sandbox: SandboxPolicy;
  readonly mode: string;
}

/** Something that is happening. */
export type LiveItem =
  | { readonly kind: "message"; readonly id: string; readonly stream: Stream }
  | { readonly kind: "reasoning"; readonly id: string; readonly text: string }
  | {
      readonly kind: "command";
      readonly id: string;
      readonly command: string;
      readonly looks: readonly Look[] | undefined;
      readonly startedAtMs: number;
      /** The end of the output, raw. */
      readonly tail: string;
      readonly lineCount: number;
      readonly isOwn: boolean;
    }
  | { readonly kind: "changes"; readonly id: string; readonly changes: readonly FileUpdateChange[] }
  | { readonly kind: "tool"; readonly id: string; readonly title: string; readonly detail: string; readonly progress: string }
  | { readonly kind: "planText"; readonly id: string; readonly text: string };

export interface RunningTurn {
  readonly id: string;
  readonly startedAtMs: number;
  readonly isInterrupting: boolean;
  /** Whether anything but messages has happened. */
  readonly hasWorked: boolean;
}

export interface Plan {
  readonly steps: readonly TurnPlanStep[];
  readonly explanation: string;
}

/** A sent message that has not come back as an item yet. */
export interface Sent {
  readonly clientId: string;
  readonly text: string;
  /** Sent to a running turn. */
  readonly isSteer: boolean;
}

export interface Conversation {
  readonly threadId: string | undefined;
  readonly name: string | undefined;
  readonly settings: Settings | undefined;
  readonly turn: RunningTurn | undefined;
  readonly live: readonly LiveItem[];
  /** Consecutive reads and searches; printed together when something else comes. */
  readonly looked: readonly Look[];
  readonly plan: Plan | undefined;
  readonly sent: readonly Sent[];
  readonly usage: ThreadTokenUsage | undefined;
  /** The text of a review that has just ended: the agent repeats it as a message of its own. */
  readonly reviewed: string | undefined;
  /** What the agent thinks about, in a few words. */
  readonly thought: string | undefined;
  /** Why the model request is being retried. */
  readonly retrying: string | undefined;
  /** Messages of the running turn whose stream broke: what still comes of them is not shown. */
  readonly brokenOff: readonly string[];
  /** MCP servers that are starting. */
  readonly starting: readonly string[];
  /** Errors and warnings, oldest first: they stay when the transcript has scrolled away. */
  readonly warnings: readonly string[];
  /** Finished and not printed yet. */
  readonly outbox: readonly Entry[];
}

export const emptyConversation: Conversation = {
  threadId: undefined,
  name: undefined,
  settings: undefined,
  turn: undefined,
  live: [],
  looked: [],
  plan: undefined,
  sent: [],
  usage: undefined,
  reviewed: undefined,
  thought: undefined,
  retrying: undefined,
  brokenOff: [],
  starting: [],
  warnings: [],
  outbox: [],
};

/** Adds entries; pending reads go first. */
export function emit(state: Conversation, entries: readonly Entry[]): Conversation {
  if (entries.length === 0) return state;
  const warnings = [...state.warnings, ...warningsIn(entries)].slice(-keptWarnings);
  return { ...state, warnings, outbox: [...state.outbox, ...lookedEntries(state), ...entries], looked: [] };
}

const keptWarnings = 100;
export const warningsIn = (entries: readonly Entry[]): string[] =>
  entries.flatMap((entry) =>
    entry.kind === "note" && (entry.tone === "warning" || entry.tone === "error")
      ? [entry.detail === undefined ? entry.text : `${entry.text}\n${entry.detail}`]
      : [],
  );

/** The pending reads, as one entry. */
export const lookedEntries = ({ looked }: Conversation): Entry[] => (looked.length === 0 ? [] : [{ kind: "explored", looks: looked }]);

export const liveOf = (state: Conversation, id: string): LiveItem | undefined => state.live.find((item) => item.id === id);

export function withLive(state: Conversation, item: LiveItem): Conversation {
  const isKnown = state.live.some(({ id }) => id === item.id);
  return { ...state, live: isKnown ? state.live.map((old) => (old.id === item.id ? item : old)) : [...state.live, item] };
}

export const withoutLive = (state: Conversation, id: string): Conversation => ({
  ...state,
  live: state.live.filter((item) => item.id !== id),
});
