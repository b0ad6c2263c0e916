// Generated from the method tables of Parley's app-server. Do not edit.

import type { ProjectChangeType } from "./ProjectChangeType";

export type ProjectChangedNotification = { changeType: ProjectChangeType, projectId: string };
