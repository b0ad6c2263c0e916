// Generated from the method tables of Parley's app-server. Do not edit.

import type { Model } from "./Model";

export type ModelListResponse = { data: Array<Model>, nextCursor?: string | null };
