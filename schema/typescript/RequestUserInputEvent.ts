// Generated from the method tables of Parley's app-server. Do not edit.

import type { RequestUserInputQuestion } from "./RequestUserInputQuestion";

export type RequestUserInputEvent = { type: "request_user_input", call_id: string, turn_id?: string, questions: Array<RequestUserInputQuestion> };
