// Generated from the method tables of Parley's app-server. Do not edit.

import type { FileSystemAccessMode } from "./FileSystemAccessMode";
import type { FileSystemPath } from "./FileSystemPath";

export type FileSystemSandboxEntry = { access: FileSystemAccessMode, path: FileSystemPath };
