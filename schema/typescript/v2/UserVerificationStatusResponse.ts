// Generated from the method tables of Parley's app-server. Do not edit.

import type { UserVerificationUnavailableReason } from "./UserVerificationUnavailableReason";

export type UserVerificationStatusResponse = { credentialId?: string | null, unavailableMessage?: string | null, unavailableReason?: UserVerificationUnavailableReason | null };
