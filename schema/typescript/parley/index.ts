// Generated from the method tables of Parley's app-server. Do not edit.

export type { SeedAnswersResponse } from "./SeedAnswersResponse";
export type { SeedOpenQuestionParams } from "./SeedOpenQuestionParams";
export type { SeedQuestionnaireParams } from "./SeedQuestionnaireParams";
export type { SeedToolQuestionsParams } from "./SeedToolQuestionsParams";
export type { ServerRequest } from "./ServerRequest";
