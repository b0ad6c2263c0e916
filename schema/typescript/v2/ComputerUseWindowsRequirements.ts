// Generated from the method tables of Parley's app-server. Do not edit.

import type { AllowDenyRequirement } from "./AllowDenyRequirement";
import type { ComputerUseWindowsExeRequirement } from "./ComputerUseWindowsExeRequirement";

export type ComputerUseWindowsRequirements = { aumids?: { [key in string]?: AllowDenyRequirement } | null, exes?: Array<ComputerUseWindowsExeRequirement> | null };
