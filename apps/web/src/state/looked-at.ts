/** What the user is viewing outside the page, if the host reports it: the open file and its selection. Sent along with messages. */

import { type LookedAt, lookedAtText } from "../../../../src/ide/looked-at.ts";
import type { UserInput } from "./model.ts";

export { fenced, type LookedAt, lookedAtLabel, shownMessage } from "../../../../src/ide/looked-at.ts";

/** The currently viewed file, with change notifications. */
export interface Looking {
  get(): LookedAt | undefined;
  subscribe(listener: () => void): () => void;
}

/** Goes after the message: a session is named after what comes first. */
export const lookedAtInput = (seen: LookedAt): UserInput => ({ type: "text", text: lookedAtText(seen) });
