// Generated from the method tables of Parley's app-server. Do not edit.

import type { ServerDiagnosticsGauge } from "./ServerDiagnosticsGauge";
import type { ServerDiagnosticsProcess } from "./ServerDiagnosticsProcess";

export type ServerDiagnosticsResponse = { gauges: Array<ServerDiagnosticsGauge>, process: ServerDiagnosticsProcess };
