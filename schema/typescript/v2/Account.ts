// Generated from the method tables of Parley's app-server. Do not edit.

import type { PlanType } from "../PlanType";

export type Account = { type: "apiKey" } | { type: "chatgpt", email: string | null, planType: PlanType, workspaceName?: string | null } | { type: "amazonBedrock", usesCodexManagedCredentials?: boolean } | { type: "gcp" };
