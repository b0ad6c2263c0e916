// Generated from the method tables of Parley's app-server. Do not edit.

import type { RequestId } from "../RequestId";

export type ThreadSampleCancelParams = { requestId: RequestId };
