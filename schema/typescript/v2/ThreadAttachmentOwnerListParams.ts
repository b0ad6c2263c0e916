// Generated from the method tables of Parley's app-server. Do not edit.

export type ThreadAttachmentOwnerListParams = { archived?: boolean | null, attachmentType: string, cursor?: string | null, identityKey: string, limit?: number | null };
