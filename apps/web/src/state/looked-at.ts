/** What the user is viewing outside the page, if the host reports it: the open file and its selection. Sent along with messages. */

import { fenced } from "./format.ts";
import type { UserInput } from "./model.ts";

export interface LookedAt {
  /** The path for display, relative to the project. */
  readonly file: string;
  /** The selection; undefined if there is none. */
  readonly selection: { readonly firstLine: number; readonly lastLine: number; readonly text: string } | undefined;
}

/** The currently viewed file, with change notifications. */
export interface Looking {
  get(): LookedAt | undefined;
  subscribe(listener: () => void): () => void;
}

export function lookedAtLabel({ file, selection }: LookedAt): string {
  if (selection === undefined) return file;
  const { firstLine, lastLine } = selection;
  return `${file}:${firstLine === lastLine ? firstLine : `${firstLine}-${lastLine}`}`;
}

/** The part of a message that describes it to the agent. */
export function lookedAtInput(seen: LookedAt): UserInput {
  const { file, selection } = seen;
  const text =
    selection === undefined ? `Open in my editor: ${file}` : `Selected in my editor, ${lookedAtLabel(seen)}:\n\n${fenced(selection.text)}`;
  return { type: "text", text };
}
