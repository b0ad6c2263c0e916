// Generated from the method tables of Parley's app-server. Do not edit.

import type { RequestId } from "../RequestId";
import type { SeedOpenQuestionParams } from "./SeedOpenQuestionParams";
import type { SeedQuestionnaireParams } from "./SeedQuestionnaireParams";
import type { SeedToolQuestionsParams } from "./SeedToolQuestionsParams";
import type { TerminalCreateParams } from "./TerminalCreateParams";
import type { TerminalParams } from "./TerminalParams";

export type ServerRequest = { method: "tool/requestUserInput", id: RequestId, params: SeedToolQuestionsParams } | { method: "agent/requestUserInput", id: RequestId, params: SeedOpenQuestionParams } | { method: "agent/askUserQuestion", id: RequestId, params: SeedQuestionnaireParams } | { method: "terminal/create", id: RequestId, params: TerminalCreateParams } | { method: "terminal/output", id: RequestId, params: TerminalParams } | { method: "terminal/waitForExit", id: RequestId, params: TerminalParams } | { method: "terminal/kill", id: RequestId, params: TerminalParams } | { method: "terminal/release", id: RequestId, params: TerminalParams };
