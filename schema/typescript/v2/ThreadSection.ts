// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadSectionAppearance } from "./ThreadSectionAppearance";

export type ThreadSection = { id: string, name: string, appearance?: ThreadSectionAppearance | null };
