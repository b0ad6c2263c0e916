// Generated from the method tables of Parley's app-server. Do not edit.

export type CodexErrorInfo = "context_window_exceeded" | "usage_limit_exceeded" | "internal_server_error" | "unauthorized" | "bad_request" | "sandbox_error" | "thread_rollback_failed" | "other" | { http_connection_failed: { http_status_code?: number | null } } | { response_stream_connection_failed: { http_status_code?: number | null } } | { response_stream_disconnected: { http_status_code?: number | null } } | { response_too_many_failed_attempts: { http_status_code?: number | null } };
