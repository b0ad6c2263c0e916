// Generated from the method tables of Parley's app-server. Do not edit.

export type { ClientRequest } from "./ClientRequest";
export type { FileBefore } from "./FileBefore";
export type { PluginProgram } from "./PluginProgram";
export type { PluginTrust } from "./PluginTrust";
export type { PluginTrustAcceptParams } from "./PluginTrustAcceptParams";
export type { PluginTrustListResponse } from "./PluginTrustListResponse";
export type { PluginTrustStatus } from "./PluginTrustStatus";
export type { SandboxReadResponse } from "./SandboxReadResponse";
export type { SeedAnswersResponse } from "./SeedAnswersResponse";
export type { SeedOpenQuestionParams } from "./SeedOpenQuestionParams";
export type { SeedQuestionnaireParams } from "./SeedQuestionnaireParams";
export type { SeedToolQuestionsParams } from "./SeedToolQuestionsParams";
export type { ServerRequest } from "./ServerRequest";
export type { TurnFilesReadParams } from "./TurnFilesReadParams";
export type { TurnFilesReadResponse } from "./TurnFilesReadResponse";
export type { TurnRevertParams } from "./TurnRevertParams";
export type { TurnRevertResponse } from "./TurnRevertResponse";
