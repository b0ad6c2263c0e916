// Generated from the method tables of Parley's app-server. Do not edit.

import type { CapabilityRootLocation } from "./CapabilityRootLocation";

export type SelectedCapabilityRoot = { id: string, location: CapabilityRootLocation };
