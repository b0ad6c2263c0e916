// Generated from the method tables of Parley's app-server. Do not edit.

import type { FsReadDirectoryEntry } from "./FsReadDirectoryEntry";

export type FsReadDirectoryResponse = { entries: Array<FsReadDirectoryEntry> };
