// Generated from the method tables of Parley's app-server. Do not edit.

import type { ModeKind } from "./ModeKind";
import type { Settings } from "./Settings";

export type CollaborationMode = { mode: ModeKind, settings: Settings };
