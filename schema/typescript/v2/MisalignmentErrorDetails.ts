// Generated from the method tables of Parley's app-server. Do not edit.

import type { MisalignmentSteer } from "./MisalignmentSteer";

export type MisalignmentErrorDetails = { detailedExplanation?: string | null, errorType?: string | null, reviewTarget?: string | null, steer?: MisalignmentSteer | null };
