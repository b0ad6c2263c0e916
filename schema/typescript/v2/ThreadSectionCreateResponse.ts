// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadSection } from "./ThreadSection";

export type ThreadSectionCreateResponse = { section: ThreadSection };
