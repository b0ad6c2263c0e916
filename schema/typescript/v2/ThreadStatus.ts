// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadActiveFlag } from "./ThreadActiveFlag";

export type ThreadStatus = { type: "notLoaded" } | { type: "idle" } | { type: "systemError" } | { type: "active", activeFlags: Array<ThreadActiveFlag> };
