// Generated from the method tables of Parley's app-server. Do not edit.

import type { ConfigEdit } from "./ConfigEdit";

export type ConfigBatchWriteParams = { edits: Array<ConfigEdit>, expectedVersion?: string | null, filePath?: string | null, reloadUserConfig?: boolean };
