// Generated from the method tables of Parley's app-server. Do not edit.

import type { ProviderChoice } from "./ProviderChoice";

export type ProviderListResponse = { data: Array<ProviderChoice>, model: string, noModel: string | null };
