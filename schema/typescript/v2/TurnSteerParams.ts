// Generated from the method tables of Parley's app-server. Do not edit.

import type { AdditionalContextEntry } from "./AdditionalContextEntry";
import type { UserInput } from "./UserInput";

export type TurnSteerParams = { threadId: string, input: Array<UserInput>, expectedTurnId: string, additionalContext?: { [key in string]?: AdditionalContextEntry } | null, clientUserMessageId?: string | null, responsesapiClientMetadata?: { [key in string]?: string } | null, responsesapiClientMetadataPatch?: { [key in string]?: string } | null };
