// Generated from the method tables of Parley's app-server. Do not edit.

import type { ReasoningEffort } from "../ReasoningEffort";
import type { ThreadSource } from "./ThreadSource";

export type ThreadSampleParams = { disableMcp?: boolean, effort?: ReasoningEffort | null, expectedTurnId: string, prompt: string, responsesapiClientMetadata?: { [key in string]?: string } | null, threadId: string, threadSource?: ThreadSource | null, turnTrigger?: string | null };
