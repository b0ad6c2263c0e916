// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadAttachment } from "./ThreadAttachment";

export type ThreadAttachmentListResponse = { data: Array<ThreadAttachment>, nextCursor?: string | null };
