/** The entries of the transcript: finished things, each of which is printed once and then belongs to the terminal's scrollback. */
import type { FileUpdateChange } from "../../protocol/item.ts";
import type { TurnPlanStep } from "../../protocol/turn.ts";
import type { Piece } from "./stream.ts";

export type Tone = "info" | "success" | "warning" | "error";

/** Output with its middle omitted. */
export interface Folded {
  readonly head: readonly string[];
  readonly hidden: number;
  readonly tail: readonly string[];
}

/** One thing that was read or searched: the action and its target. */
export interface Look {
  readonly verb: "Read" | "List" | "Search";
  readonly what: string;
}

export type Entry =
  | { readonly kind: "welcome"; readonly title: string; readonly rows: readonly (readonly [string, string])[]; readonly hint: string }
  | { readonly kind: "user"; readonly text: string; readonly attachments: readonly string[] }
  | { readonly kind: "agent"; readonly piece: Piece; readonly isFirst: boolean }
  | { readonly kind: "reasoning"; readonly text: string; readonly isRaw: boolean }
  | {
      readonly kind: "command";
      readonly command: string;
      /** "running": it has outlived its turn. */
      readonly result: "done" | "failed" | "declined" | "interrupted" | "running";
      readonly exitCode: number | undefined;
      readonly durationMs: number | undefined;
      readonly output: Folded;
      /** The person typed it. */
      readonly isOwn: boolean;
    }
  | { readonly kind: "explored"; readonly looks: readonly Look[] }
  | {
      readonly kind: "changes";
      readonly changes: readonly FileUpdateChange[];
      readonly result: "done" | "failed" | "declined" | "interrupted";
    }
  | {
      readonly kind: "tool";
      readonly title: string;
      readonly detail: string;
      readonly result: "done" | "failed" | "interrupted";
      readonly output: Folded;
    }
  | { readonly kind: "plan"; readonly steps: readonly TurnPlanStep[]; readonly explanation: string }
  | { readonly kind: "planText"; readonly text: string }
  | { readonly kind: "note"; readonly tone: Tone; readonly text: string; readonly detail?: string | undefined }
  | { readonly kind: "turnEnd"; readonly durationMs: number }
  | { readonly kind: "card"; readonly title: string; readonly rows: readonly (readonly [string, string])[] }
  /** A complete git diff. */
  | { readonly kind: "diff"; readonly title: string; readonly text: string };

export const noOutput: Folded = { head: [], hidden: 0, tail: [] };

/** Keeps the first and the last lines. */
export function fold(lines: readonly string[], head: number, tail: number): Folded {
  if (lines.length <= head + tail + 1) return { head: lines, hidden: 0, tail: [] };
  return { head: lines.slice(0, head), hidden: lines.length - head - tail, tail: tail === 0 ? [] : lines.slice(-tail) };
}

export const note = (tone: Tone, text: string, detail?: string): Entry => ({ kind: "note", tone, text, detail });
