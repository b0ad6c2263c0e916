// Generated from the method tables of Parley's app-server. Do not edit.

import type { ImageDetail } from "./ImageDetail";

export type FunctionCallOutputContentItem = { type: "input_text", text: string } | { type: "input_image", image_url: string, detail?: ImageDetail | null } | { type: "input_image", file_id: string, detail?: ImageDetail | null } | { type: "input_audio", audio_url: string } | { type: "encrypted_content", encrypted_content: string };
