/** What a person looks at beside the page, where its surroundings say: the open file, and what is selected in it. Goes along with messages. */
import type { UserInput } from "./model.ts";
import { fenced } from "./words.ts";

export interface LookedAt {
  /** As people in the project call it. */
  readonly file: string;
  /** What is selected; undefined where nothing is. */
  readonly selection: { readonly firstLine: number; readonly lastLine: number; readonly text: string } | undefined;
}

/** Tells what is looked at now, and when that changes. */
export interface Looking {
  get(): LookedAt | undefined;
  subscribe(listener: () => void): () => void;
}

export function lookedAtLabel({ file, selection }: LookedAt): string {
  if (selection === undefined) return file;
  const { firstLine, lastLine } = selection;
  return `${file}:${firstLine === lastLine ? firstLine : `${firstLine}-${lastLine}`}`;
}

/** The part of a message that tells the agent. */
export function lookedAtInput(seen: LookedAt): UserInput {
  const { file, selection } = seen;
  const text =
    selection === undefined ? `Open in my editor: ${file}` : `Selected in my editor, ${lookedAtLabel(seen)}:\n\n${fenced(selection.text)}`;
  return { type: "text", text };
}
