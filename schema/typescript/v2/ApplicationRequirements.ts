// Generated from the method tables of Parley's app-server. Do not edit.

import type { ApplicationNetworkRequirements } from "./ApplicationNetworkRequirements";
import type { ApplicationStorageRequirements } from "./ApplicationStorageRequirements";

export type ApplicationRequirements = { network?: ApplicationNetworkRequirements | null, storage?: ApplicationStorageRequirements | null };
