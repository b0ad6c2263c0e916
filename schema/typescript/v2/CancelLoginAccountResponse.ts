// Generated from the method tables of Parley's app-server. Do not edit.

import type { CancelLoginAccountStatus } from "./CancelLoginAccountStatus";

export type CancelLoginAccountResponse = { status: CancelLoginAccountStatus };
