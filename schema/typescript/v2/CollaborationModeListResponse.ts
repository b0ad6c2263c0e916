// Generated from the method tables of Parley's app-server. Do not edit.

import type { CollaborationModeMask } from "./CollaborationModeMask";

export type CollaborationModeListResponse = { data: Array<CollaborationModeMask> };
