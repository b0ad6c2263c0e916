// Generated from the method tables of Parley's app-server. Do not edit.

import type { ImageDetail } from "../ImageDetail";
import type { TextElement } from "./TextElement";

export type UserInput = { type: "text", text: string, text_elements?: Array<TextElement> } | { type: "image", url: string, detail?: ImageDetail | null } | { type: "image", fileId: string, detail?: ImageDetail | null } | { type: "localImage", path: string, detail?: ImageDetail | null } | { type: "audio", url: string } | { type: "localAudio", path: string } | { type: "skill", name: string, path: string } | { type: "mention", name: string, path: string };
