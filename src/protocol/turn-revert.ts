/** What a turn did to files, and undoing it, which no Codex has. Mirrored by server/turn-revert.ts. */
import { array, boolean, type Infer, literals, named, object, optional, string, union } from "../lib/schema.ts";
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

export const TurnFilesReadParams = named("TurnFilesReadParams", () => object({ threadId: string(), turnId: string() }));
export type TurnFilesReadParams = Infer<typeof TurnFilesReadParams>;

/** A file before a turn changed it: none, its content, or something that is not kept or is no file. */
export const FileBefore = named("FileBefore", () =>
  union([object({ type: literals("absent", "notKept", "link") }), object({ type: literals("file"), dataBase64: string() })]),
);
export type FileBefore = Infer<typeof FileBefore>;

export const TurnFilesReadResponse = named("TurnFilesReadResponse", () =>
  object({ files: array(object({ path: string(), before: FileBefore() })) }),
);
export type TurnFilesReadResponse = Infer<typeof TurnFilesReadResponse>;

export const turnRevertRequests = {
  /** The files that a turn changed, by patches and by commands, as they were before it. None where it changed no files, or where that is no longer kept. */
  "turn/files/read": request({ params: TurnFilesReadParams, result: TurnFilesReadResponse, experimental: true, own: true }),
  /** Puts the files back as they were before a turn; where one was changed since, nothing is touched unless forced. What commands changed comes back in workspaces of up to 10,000 files that no ignore file names, for files of up to 1 MB and 24 MB in all. */
  "turn/revert": request({ params: TurnRevertParams, result: TurnRevertResponse, order: byThread, experimental: true, own: true }),
};
