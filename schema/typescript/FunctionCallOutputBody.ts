// Generated from the method tables of Parley's app-server. Do not edit.

import type { FunctionCallOutputContentItem } from "./FunctionCallOutputContentItem";

export type FunctionCallOutputBody = string | Array<FunctionCallOutputContentItem>;
