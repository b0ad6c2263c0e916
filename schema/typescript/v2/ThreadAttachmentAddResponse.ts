// Generated from the method tables of Parley's app-server. Do not edit.

import type { ThreadAttachment } from "./ThreadAttachment";
import type { ThreadAttachmentAddOutcome } from "./ThreadAttachmentAddOutcome";

export type ThreadAttachmentAddResponse = { attachment: ThreadAttachment, outcome: ThreadAttachmentAddOutcome };
