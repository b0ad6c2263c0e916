// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadReadState } from "./ThreadReadState";

export type ThreadReadStateUpdateResponse = { readState: ThreadReadState };
