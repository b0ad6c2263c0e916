// Generated from the method tables of Parley's app-server. Do not edit.

import type { AllowDenyRequirement } from "./AllowDenyRequirement";

export type ComputerUseWindowsExeRequirement = { access: AllowDenyRequirement, productName: string, publisherName: string, binaryName?: string | null };
