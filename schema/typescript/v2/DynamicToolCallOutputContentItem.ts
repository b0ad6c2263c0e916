// Generated from the method tables of Parley's app-server. Do not edit.

export type DynamicToolCallOutputContentItem = { type: "inputText", text: string } | { type: "inputImage", imageUrl: string } | { type: "inputAudio", audioUrl: string };
