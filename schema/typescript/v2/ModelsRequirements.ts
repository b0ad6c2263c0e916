// Generated from the method tables of Parley's app-server. Do not edit.

import type { NewThreadModelDefaults } from "./NewThreadModelDefaults";

export type ModelsRequirements = { newThread?: NewThreadModelDefaults | null };
