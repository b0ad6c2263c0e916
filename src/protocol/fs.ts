/** File access for clients that run on another machine than the server. Implemented in server/fs.ts. */
import { array, boolean, type Infer, integer, maybe, named, object, optional, string } from "../lib/schema.ts";
import { notification, request } from "./define.ts";
import { limitAbsolutePath } from "./limits.ts";
import { AbsolutePathBuf } from "./policy.ts";

export const FsReadFileParams = named("FsReadFileParams", () => object({ path: AbsolutePathBuf() }));
export type FsReadFileParams = Infer<typeof FsReadFileParams>;

export const FsReadFileResponse = named("FsReadFileResponse", () => object({ dataBase64: string() }));
export type FsReadFileResponse = Infer<typeof FsReadFileResponse>;

export const FsWriteFileParams = named("FsWriteFileParams", () => object({ dataBase64: string(), path: AbsolutePathBuf() }));
export type FsWriteFileParams = Infer<typeof FsWriteFileParams>;

export const FsWriteFileResponse = named("FsWriteFileResponse", () => object({}));
export type FsWriteFileResponse = Infer<typeof FsWriteFileResponse>;

export const FsCreateDirectoryParams = named("FsCreateDirectoryParams", () =>
  object({ path: AbsolutePathBuf(), recursive: maybe(boolean()) }),
);
export type FsCreateDirectoryParams = Infer<typeof FsCreateDirectoryParams>;

export const FsCreateDirectoryResponse = named("FsCreateDirectoryResponse", () => object({}));
export type FsCreateDirectoryResponse = Infer<typeof FsCreateDirectoryResponse>;

export const FsGetMetadataParams = named("FsGetMetadataParams", () => object({ path: AbsolutePathBuf() }));
export type FsGetMetadataParams = Infer<typeof FsGetMetadataParams>;

export const FsGetMetadataResponse = named("FsGetMetadataResponse", () =>
  object({ createdAtMs: integer(), isDirectory: boolean(), isFile: boolean(), isSymlink: boolean(), modifiedAtMs: integer() }),
);
export type FsGetMetadataResponse = Infer<typeof FsGetMetadataResponse>;

export const FsReadDirectoryParams = named("FsReadDirectoryParams", () => object({ path: AbsolutePathBuf() }));
export type FsReadDirectoryParams = Infer<typeof FsReadDirectoryParams>;

export const FsReadDirectoryResponse = named("FsReadDirectoryResponse", () => object({ entries: array(FsReadDirectoryEntry()) }));
export type FsReadDirectoryResponse = Infer<typeof FsReadDirectoryResponse>;

export const FsRemoveParams = named("FsRemoveParams", () =>
  object({ path: AbsolutePathBuf(), force: maybe(boolean()), recursive: maybe(boolean()) }),
);
export type FsRemoveParams = Infer<typeof FsRemoveParams>;

export const FsRemoveResponse = named("FsRemoveResponse", () => object({}));
export type FsRemoveResponse = Infer<typeof FsRemoveResponse>;

export const FsCopyParams = named("FsCopyParams", () =>
  object({ destinationPath: AbsolutePathBuf(), sourcePath: AbsolutePathBuf(), recursive: optional(boolean()) }),
);
export type FsCopyParams = Infer<typeof FsCopyParams>;

export const FsCopyResponse = named("FsCopyResponse", () => object({}));
export type FsCopyResponse = Infer<typeof FsCopyResponse>;

export const FsWatchParams = named("FsWatchParams", () => object({ path: AbsolutePathBuf(), watchId: string() }));
export type FsWatchParams = Infer<typeof FsWatchParams>;

export const FsWatchResponse = named("FsWatchResponse", () => object({ path: AbsolutePathBuf() }));
export type FsWatchResponse = Infer<typeof FsWatchResponse>;

export const FsUnwatchParams = named("FsUnwatchParams", () => object({ watchId: string() }));
export type FsUnwatchParams = Infer<typeof FsUnwatchParams>;

export const FsUnwatchResponse = named("FsUnwatchResponse", () => object({}));
export type FsUnwatchResponse = Infer<typeof FsUnwatchResponse>;

export const FsChangedNotification = named("FsChangedNotification", () =>
  object({ changedPaths: array(AbsolutePathBuf()), watchId: string() }),
);
export type FsChangedNotification = Infer<typeof FsChangedNotification>;

export const FsReadDirectoryEntry = named("FsReadDirectoryEntry", () =>
  object({ fileName: string(), isDirectory: boolean(), isFile: boolean() }),
);
export type FsReadDirectoryEntry = Infer<typeof FsReadDirectoryEntry>;

const byPath = ({ path }: { path: string }): string => `file:${path}`;
const onePath = ({ path }: { path: string }): void => limitAbsolutePath("path", path);

export const fsRequests = {
  /** Reads a whole file. */
  "fs/readFile": request({ params: FsReadFileParams, result: FsReadFileResponse, limits: onePath }),
  /** Writes a whole file. */
  "fs/writeFile": request({ params: FsWriteFileParams, result: FsWriteFileResponse, order: byPath, limits: onePath }),
  /** Creates a folder, on request with its parents. */
  "fs/createDirectory": request({ params: FsCreateDirectoryParams, result: FsCreateDirectoryResponse, order: byPath, limits: onePath }),
  /** Returns the type of a path and when it was changed. */
  "fs/getMetadata": request({ params: FsGetMetadataParams, result: FsGetMetadataResponse, limits: onePath }),
  /** Lists a folder. */
  "fs/readDirectory": request({ params: FsReadDirectoryParams, result: FsReadDirectoryResponse, limits: onePath }),
  /** Deletes a file or a folder. */
  "fs/remove": request({ params: FsRemoveParams, result: FsRemoveResponse, order: byPath, limits: onePath }),
  /** Copies a file or a folder. */
  "fs/copy": request({
    params: FsCopyParams,
    result: FsCopyResponse,
    order: ({ destinationPath }) => byPath({ path: destinationPath }),
    limits({ sourcePath, destinationPath }) {
      limitAbsolutePath("sourcePath", sourcePath);
      limitAbsolutePath("destinationPath", destinationPath);
    },
  }),
  /** Reports changes of a path to this connection until `fs/unwatch`. */
  "fs/watch": request({ params: FsWatchParams, result: FsWatchResponse, order: byWatch, limits: onePath }),
  /** Ends a watch. */
  "fs/unwatch": request({ params: FsUnwatchParams, result: FsUnwatchResponse, order: byWatch }),
};

function byWatch({ watchId }: { watchId: string }): string {
  return `watch:${watchId}`;
}

export const fsNotifications = {
  /** Something under a watched path has changed. */
  "fs/changed": notification(FsChangedNotification),
};
