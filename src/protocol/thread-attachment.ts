/** What a client attaches to a thread, such as a pull request. Implemented in server/thread-attachment.ts. */
import { array, boolean, type Infer, integer, literals, maybe, named, natural, object, string, unknown } from "../lib/schema.ts";
import { byLists, notification, request } from "./define.ts";
import { invalidParams } from "./errors.ts";

export const ThreadAttachmentAddParams = named("ThreadAttachmentAddParams", () =>
  object({ attachmentType: string(), identityKey: string(), payload: unknown(), threadId: string() }),
);
export type ThreadAttachmentAddParams = Infer<typeof ThreadAttachmentAddParams>;

export const ThreadAttachmentAddResponse = named("ThreadAttachmentAddResponse", () =>
  object({ attachment: ThreadAttachment(), outcome: ThreadAttachmentAddOutcome() }),
);
export type ThreadAttachmentAddResponse = Infer<typeof ThreadAttachmentAddResponse>;

export const ThreadAttachment = named("ThreadAttachment", () =>
  object({ attachmentType: string(), createdAt: integer(), id: string(), identityKey: string(), payload: unknown() }),
);
export type ThreadAttachment = Infer<typeof ThreadAttachment>;

export const ThreadAttachmentAddOutcome = named("ThreadAttachmentAddOutcome", () => literals("created", "existing"));
export type ThreadAttachmentAddOutcome = Infer<typeof ThreadAttachmentAddOutcome>;

export const ThreadAttachmentListParams = named("ThreadAttachmentListParams", () =>
  object({ cursor: maybe(string()), limit: maybe(natural()), threadId: string() }),
);
export type ThreadAttachmentListParams = Infer<typeof ThreadAttachmentListParams>;

export const ThreadAttachmentListResponse = named("ThreadAttachmentListResponse", () =>
  object({ data: array(ThreadAttachment()), nextCursor: maybe(string()) }),
);
export type ThreadAttachmentListResponse = Infer<typeof ThreadAttachmentListResponse>;

export const ThreadAttachmentRemoveParams = named("ThreadAttachmentRemoveParams", () =>
  object({ attachmentType: string(), identityKey: string(), threadId: string() }),
);
export type ThreadAttachmentRemoveParams = Infer<typeof ThreadAttachmentRemoveParams>;

export const ThreadAttachmentRemoveResponse = named("ThreadAttachmentRemoveResponse", () => object({}));
export type ThreadAttachmentRemoveResponse = Infer<typeof ThreadAttachmentRemoveResponse>;

export const ThreadAttachmentOwnerListParams = named("ThreadAttachmentOwnerListParams", () =>
  object({ archived: maybe(boolean()), attachmentType: string(), cursor: maybe(string()), identityKey: string(), limit: maybe(natural()) }),
);
export type ThreadAttachmentOwnerListParams = Infer<typeof ThreadAttachmentOwnerListParams>;

export const ThreadAttachmentOwnerListResponse = named("ThreadAttachmentOwnerListResponse", () =>
  object({ data: array(ThreadAttachmentOwner()), nextCursor: maybe(string()) }),
);
export type ThreadAttachmentOwnerListResponse = Infer<typeof ThreadAttachmentOwnerListResponse>;

export const ThreadAttachmentOwner = named("ThreadAttachmentOwner", () => object({ archived: boolean(), threadId: string() }));
export type ThreadAttachmentOwner = Infer<typeof ThreadAttachmentOwner>;

export const ThreadAttachmentUpdatedNotification = named("ThreadAttachmentUpdatedNotification", () =>
  object({
    attachmentId: string(),
    attachmentType: string(),
    identityKey: string(),
    operation: ThreadAttachmentOperation(),
    threadId: string(),
  }),
);
export type ThreadAttachmentUpdatedNotification = Infer<typeof ThreadAttachmentUpdatedNotification>;

export const ThreadAttachmentOperation = named("ThreadAttachmentOperation", () => literals("created", "deleted"));
export type ThreadAttachmentOperation = Infer<typeof ThreadAttachmentOperation>;

export const threadAttachmentRequests = {
  /** Attaches something to a thread; the same type and key return what was there. */
  "thread/attachment/add": request({
    params: ThreadAttachmentAddParams,
    result: ThreadAttachmentAddResponse,
    order: byLists,
    limits: limitAttachment,
  }),
  /** Pages through what is attached to a thread. */
  "thread/attachment/list": request({ params: ThreadAttachmentListParams, result: ThreadAttachmentListResponse }),
  /** Removes an attachment. */
  "thread/attachment/remove": request({ params: ThreadAttachmentRemoveParams, result: ThreadAttachmentRemoveResponse, order: byLists }),
  /** Pages through the threads to which something is attached. */
  "thread/attachmentOwner/list": request({ params: ThreadAttachmentOwnerListParams, result: ThreadAttachmentOwnerListResponse }),
};

export const threadAttachmentNotifications = {
  /** An attachment was added or removed. */
  "thread/attachment/updated": notification(ThreadAttachmentUpdatedNotification),
};

const maxKeyLength = 1_024;
const maxPayloadLength = 65_536;

function limitAttachment({ attachmentType, identityKey, payload }: ThreadAttachmentAddParams): void {
  for (const [field, value] of Object.entries({ attachmentType, identityKey })) {
    if (value === "") throw invalidParams(`${field} must not be empty`);
    if (value.length > maxKeyLength) throw invalidParams(`${field} takes at most ${maxKeyLength} characters`);
  }
  if ((JSON.stringify(payload) ?? "").length > maxPayloadLength)
    throw invalidParams(`payload takes at most ${maxPayloadLength} characters of JSON`);
}
