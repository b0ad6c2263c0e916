// Generated from the method tables of Parley's app-server. Do not edit.

import type { RequestId } from "./RequestId";

export type ElicitationRequestEvent = { type: "elicitation_request", server_name: string, id: RequestId, message: string };
