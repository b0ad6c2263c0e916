// Generated from the method tables of Parley's app-server. Do not edit.

import type { HookOutputEntryKind } from "./HookOutputEntryKind";

export type HookOutputEntry = { kind: HookOutputEntryKind, text: string };
