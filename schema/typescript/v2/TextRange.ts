// Generated from the method tables of Parley's app-server. Do not edit.

import type { TextPosition } from "./TextPosition";

export type TextRange = { end: TextPosition, start: TextPosition };
