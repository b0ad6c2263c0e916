// Generated from the method tables of Parley's app-server. Do not edit.

import type { FileBefore } from "./FileBefore";

export type TurnFilesReadResponse = { files: Array<{ path: string, before: FileBefore }> };
