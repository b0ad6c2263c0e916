// Generated from the method tables of Parley's app-server. Do not edit.

import type { FunctionCallOutputBody } from "../FunctionCallOutputBody";

export type TurnToolOutput = { name: string, output: FunctionCallOutputBody, namespace?: string | null, retain?: boolean };
