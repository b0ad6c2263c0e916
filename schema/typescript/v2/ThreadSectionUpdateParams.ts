// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadSectionAppearance } from "./ThreadSectionAppearance";

export type ThreadSectionUpdateParams = { appearance?: ThreadSectionAppearance | null, name: string, sectionId: string };
