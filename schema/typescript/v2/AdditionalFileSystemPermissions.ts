// Generated from the method tables of Parley's app-server. Do not edit.

import type { LegacyAppPathString } from "../LegacyAppPathString";
import type { FileSystemSandboxEntry } from "./FileSystemSandboxEntry";

export type AdditionalFileSystemPermissions = { entries?: Array<FileSystemSandboxEntry> | null, globScanMaxDepth?: number | null, read?: Array<LegacyAppPathString> | null, write?: Array<LegacyAppPathString> | null };
