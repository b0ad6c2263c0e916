// Generated from the method tables of Parley's app-server. Do not edit.

import type { AllowDenyRequirement } from "./AllowDenyRequirement";

export type ComputerUseMacosRequirements = { bundleIds?: { [key in string]?: AllowDenyRequirement } | null };
