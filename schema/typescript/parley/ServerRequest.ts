// Generated from the method tables of Parley's app-server. Do not edit.

import type { RequestId } from "../RequestId";
import type { SeedOpenQuestionParams } from "./SeedOpenQuestionParams";
import type { SeedQuestionnaireParams } from "./SeedQuestionnaireParams";
import type { SeedToolQuestionsParams } from "./SeedToolQuestionsParams";

export type ServerRequest = { method: "tool/requestUserInput", id: RequestId, params: SeedToolQuestionsParams } | { method: "agent/requestUserInput", id: RequestId, params: SeedOpenQuestionParams } | { method: "agent/askUserQuestion", id: RequestId, params: SeedQuestionnaireParams };
