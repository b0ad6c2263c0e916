/** A turn's file changes and how to undo them, which Codex does not have. Implemented in server/turn-revert.ts. */
import { array, boolean, type Infer, literals, named, object, optional, string, union } from "../lib/schema.ts";
import { byThread, request } from "./define.ts";
import { invalidRequest } from "./errors.ts";

const maxTurnsAtOnce = 1000;

export const TurnRevertParams = named("TurnRevertParams", () =>
  object({ threadId: string(), turnId: string(), force: optional(boolean()) }),
);
export type TurnRevertParams = Infer<typeof TurnRevertParams>;

/** If there are conflicts, nothing was touched, unless `force` was set: then `restored` names the files that were restored anyway. */
export const TurnRevertResponse = named("TurnRevertResponse", () =>
  object({ restored: array(string()), conflicts: array(object({ path: string(), reason: string() })) }),
);
export type TurnRevertResponse = Infer<typeof TurnRevertResponse>;

export const TurnFilesReadParams = named("TurnFilesReadParams", () => object({ threadId: string(), turnId: string() }));
export type TurnFilesReadParams = Infer<typeof TurnFilesReadParams>;

/** A file before a turn changed it: absent, its content, or something that is not stored or not a file. */
export const FileBefore = named("FileBefore", () =>
  union([object({ type: literals("absent", "notKept", "link") }), object({ type: literals("file"), dataBase64: string() })]),
);
export type FileBefore = Infer<typeof FileBefore>;

export const TurnFilesReadResponse = named("TurnFilesReadResponse", () =>
  object({ files: array(object({ path: string(), before: FileBefore() })) }),
);
export type TurnFilesReadResponse = Infer<typeof TurnFilesReadResponse>;

export const TurnRevertCheckParams = named("TurnRevertCheckParams", () => object({ threadId: string(), turnIds: array(string()) }));
export type TurnRevertCheckParams = Infer<typeof TurnRevertCheckParams>;

export const TurnRevertCheckResponse = named("TurnRevertCheckResponse", () =>
  object({
    /** What would become of each file. */
    files: array(object({ path: string(), becomes: literals("restored", "deleted") })),
    conflicts: array(object({ path: string(), reason: string() })),
  }),
);
export type TurnRevertCheckResponse = Infer<typeof TurnRevertCheckResponse>;

export const turnRevertRequests = {
  /** Returns the files that a turn changed, by patches and by commands, as they were before it. Empty if it changed no files, or if they are no longer stored. */
  "turn/files/read": request({ params: TurnFilesReadParams, result: TurnFilesReadResponse, experimental: true, own: true }),
  /** What reverting the files of these turns, newest first, would do and which files are in its way; nothing is touched. */
  "turn/revert/check": request({
    params: TurnRevertCheckParams,
    result: TurnRevertCheckResponse,
    limits({ turnIds }) {
      if (turnIds.length > maxTurnsAtOnce) throw invalidRequest(`turnIds must name at most ${maxTurnsAtOnce} turns`);
    },
    experimental: true,
    own: true,
  }),
  /** Restores the files to their state before a turn; if one was changed since, nothing is touched unless forced. Changes made by commands are restored in workspaces of up to 10,000 files that no ignore file names, for files of up to 1 MB and 24 MB in total; in a git repository on Linux, in one of any size, where these limits hold only for what git has not stored. */
  "turn/revert": request({ params: TurnRevertParams, result: TurnRevertResponse, order: byThread, experimental: true, own: true }),
};
