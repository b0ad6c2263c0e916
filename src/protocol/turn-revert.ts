/** Undoing what a turn did to files, which no Codex has. Mirrored by server/turn-revert.ts. */
import { array, boolean, type Infer, named, object, optional, string } from "../lib/schema.ts";
import { byThread, request } from "./define.ts";

export const TurnRevertParams = named("TurnRevertParams", () =>
  object({ threadId: string(), turnId: string(), force: optional(boolean()) }),
);
export type TurnRevertParams = Infer<typeof TurnRevertParams>;

/** With conflicts nothing was touched, unless `force` was set: then `restored` names what was put back all the same. */
export const TurnRevertResponse = named("TurnRevertResponse", () =>
  object({ restored: array(string()), conflicts: array(object({ path: string(), reason: string() })) }),
);
export type TurnRevertResponse = Infer<typeof TurnRevertResponse>;

export const turnRevertRequests = {
  /** Puts the files back as they were before a turn; where one was changed since, nothing is touched unless forced. What commands changed comes back in workspaces of up to 10,000 files that no ignore file names, for files of up to 1 MB and 24 MB in all. */
  "turn/revert": request({ params: TurnRevertParams, result: TurnRevertResponse, order: byThread, experimental: true, own: true }),
};
