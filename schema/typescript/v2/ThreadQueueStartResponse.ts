// Generated from the method tables of Parley's app-server. Do not edit.

import type { Turn } from "./Turn";

export type ThreadQueueStartResponse = { turn: Turn };
