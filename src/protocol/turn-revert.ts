/** Undoing what a turn did to files, which no Codex has. Mirrored by server/turn-revert.ts. */
import { array, boolean, type Infer, literals, maybe, named, object, optional, string } from "../lib/schema.ts";
import { byThread, request } from "./define.ts";

export const TurnRevertParams = named("TurnRevertParams", () =>
  object({ threadId: string(), turnId: string(), force: optional(boolean()) }),
);
export type TurnRevertParams = Infer<typeof TurnRevertParams>;

export const TurnRevertResponse = named("TurnRevertResponse", () =>
  object({ status: TurnRevertStatus(), files: array(TurnRevertFile()), diff: string() }),
);
export type TurnRevertResponse = Infer<typeof TurnRevertResponse>;

/** `conflict`: a file was changed since, and nothing was touched. */
export const TurnRevertStatus = named("TurnRevertStatus", () => literals("reverted", "conflict"));
export type TurnRevertStatus = Infer<typeof TurnRevertStatus>;

export const TurnRevertFile = named("TurnRevertFile", () =>
  object({ path: string(), outcome: literals("restored", "removed", "unchanged", "conflict"), reason: maybe(string()) }),
);
export type TurnRevertFile = Infer<typeof TurnRevertFile>;

export const turnRevertRequests = {
  /** Puts the files back as they were before a turn; where one was changed since, nothing is touched unless forced. */
  "turn/revert": request({ params: TurnRevertParams, result: TurnRevertResponse, order: byThread, experimental: true, own: true }),
};
