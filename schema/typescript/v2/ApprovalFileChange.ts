// Generated from the method tables of Parley's app-server. Do not edit.

import type { PatchChangeKind } from "./PatchChangeKind";

export type ApprovalFileChange = { path: string, kind: PatchChangeKind, diff: string, type: "add" | "delete" | "update", summary: string };
