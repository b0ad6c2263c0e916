// Generated from the method tables of Parley's app-server. Do not edit.

import type { CyberAccessProgram } from "./CyberAccessProgram";

export type ModelAccessPrograms = { cyber: Array<CyberAccessProgram> };
