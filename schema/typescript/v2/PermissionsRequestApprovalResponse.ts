// Generated from the method tables of Parley's app-server. Do not edit.

import type { GrantedPermissionProfile } from "./GrantedPermissionProfile";
import type { PermissionGrantScope } from "./PermissionGrantScope";

export type PermissionsRequestApprovalResponse = { permissions: GrantedPermissionProfile, scope?: PermissionGrantScope, strictAutoReview?: boolean | null };
