// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadMetadataGitInfoUpdateParams } from "./ThreadMetadataGitInfoUpdateParams";

export type ThreadMetadataUpdateParams = { threadId: string, daybreakEnabled?: boolean | null, gitInfo?: ThreadMetadataGitInfoUpdateParams | null, projectId?: string | null };
