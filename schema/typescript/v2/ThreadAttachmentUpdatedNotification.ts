// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadAttachmentOperation } from "./ThreadAttachmentOperation";

export type ThreadAttachmentUpdatedNotification = { attachmentId: string, attachmentType: string, identityKey: string, operation: ThreadAttachmentOperation, threadId: string };
