// Generated from the method tables of Parley's app-server. Do not edit.

import type { OtelExporter } from "./OtelExporter";
import type { OtelToolResultLogConfig } from "./OtelToolResultLogConfig";

export type OtelRequirements = { environment?: string | null, exporter?: OtelExporter | null, log_agent_responses?: boolean | null, log_guardian_assessments?: boolean | null, log_user_prompt?: boolean | null, metrics_exporter?: OtelExporter | null, span_attributes?: { [key in string]?: string } | null, tool_result?: OtelToolResultLogConfig | null, trace_exporter?: OtelExporter | null, tracestate?: { [key in string]?: { [key in string]?: string } } | null };
