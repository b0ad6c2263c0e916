// Generated from the method tables of Parley's app-server. Do not edit.

import type { TextElement } from "./TextElement";

export type UserMessageEvent = { type: "user_message", message: string, images?: Array<string> | null, local_images?: Array<string>, text_elements?: Array<TextElement>, kind?: string };
