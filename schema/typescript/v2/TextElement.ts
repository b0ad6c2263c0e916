// Generated from the method tables of Parley's app-server. Do not edit.

import type { ByteRange } from "./ByteRange";

export type TextElement = { byteRange: ByteRange, placeholder?: string | null };
