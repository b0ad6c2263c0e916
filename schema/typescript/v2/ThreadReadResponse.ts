// Generated from the method tables of Parley's app-server. Do not edit.

import type { Thread } from "./Thread";
import type { ThreadReadState } from "./ThreadReadState";

export type ThreadReadResponse = { thread: Thread, readState?: ThreadReadState | null };
