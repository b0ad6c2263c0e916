// Generated from the method tables of Parley's app-server. Do not edit.

import type { AdditionalFileSystemPermissions } from "./AdditionalFileSystemPermissions";
import type { AdditionalNetworkPermissions } from "./AdditionalNetworkPermissions";

export type RequestPermissionProfile = { fileSystem?: AdditionalFileSystemPermissions | null, network?: AdditionalNetworkPermissions | null };
