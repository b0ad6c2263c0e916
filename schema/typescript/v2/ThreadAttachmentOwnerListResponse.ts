// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadAttachmentOwner } from "./ThreadAttachmentOwner";

export type ThreadAttachmentOwnerListResponse = { data: Array<ThreadAttachmentOwner>, nextCursor?: string | null };
