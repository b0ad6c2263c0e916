// Generated from the method tables of Parley's app-server. Do not edit.

import type { AllowDenyRequirement } from "./AllowDenyRequirement";

export type ComputerUseWindowsExeConfig = { access: AllowDenyRequirement, product_name: string, publisher_name: string, binary_name?: string | null };
