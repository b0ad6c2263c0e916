// Generated from the method tables of Parley's app-server. Do not edit.

import type { AdditionalContextKind } from "./AdditionalContextKind";

export type AdditionalContextEntry = { kind: AdditionalContextKind, value: string, name?: string | null };
