// Generated from the method tables of Parley's app-server. Do not edit.

import type { ConfigRequirements } from "./ConfigRequirements";

export type ConfigRequirementsReadResponse = { requirements?: ConfigRequirements | null, supportsIndependentSpeedModes?: boolean | null };
