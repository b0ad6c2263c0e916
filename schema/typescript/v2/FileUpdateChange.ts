// Generated from the method tables of Parley's app-server. Do not edit.

import type { PatchChangeKind } from "./PatchChangeKind";

export type FileUpdateChange = { diff: string, kind: PatchChangeKind, path: string };
