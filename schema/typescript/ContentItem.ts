// Generated from the method tables of Parley's app-server. Do not edit.

import type { ImageDetail } from "./ImageDetail";
import type { JsonValue } from "./serde_json/JsonValue";

export type ContentItem = { type: "input_text", text: string } | { type: "input_image", image_url: string, detail?: ImageDetail | null } | { type: "input_image", file_id: string, detail?: ImageDetail | null } | { type: "input_audio", audio_url: string } | { type: "output_text", text: string, annotations?: Array<JsonValue> | null, logprobs?: Array<JsonValue> | null };
