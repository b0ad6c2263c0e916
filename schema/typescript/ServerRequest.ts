// Generated from the method tables of Parley's app-server. Do not edit.

import type { ApplyPatchApprovalParams } from "./ApplyPatchApprovalParams";
import type { ExecCommandApprovalParams } from "./ExecCommandApprovalParams";
import type { RequestId } from "./RequestId";
import type { ChatgptAuthTokensRefreshParams } from "./v2/ChatgptAuthTokensRefreshParams";
import type { CommandExecutionRequestApprovalParams } from "./v2/CommandExecutionRequestApprovalParams";
import type { DynamicToolCallParams } from "./v2/DynamicToolCallParams";
import type { FileChangeRequestApprovalParams } from "./v2/FileChangeRequestApprovalParams";
import type { McpServerElicitationRequestParams } from "./v2/McpServerElicitationRequestParams";
import type { PermissionsRequestApprovalParams } from "./v2/PermissionsRequestApprovalParams";
import type { ToolRequestUserInputParams } from "./v2/ToolRequestUserInputParams";

export type ServerRequest = { method: "account/chatgptAuthTokens/refresh", id: RequestId, params: ChatgptAuthTokensRefreshParams } | { method: "item/commandExecution/requestApproval", id: RequestId, params: CommandExecutionRequestApprovalParams } | { method: "item/fileChange/requestApproval", id: RequestId, params: FileChangeRequestApprovalParams } | { method: "item/permissions/requestApproval", id: RequestId, params: PermissionsRequestApprovalParams } | { method: "item/tool/call", id: RequestId, params: DynamicToolCallParams } | { method: "item/tool/requestUserInput", id: RequestId, params: ToolRequestUserInputParams } | { method: "mcpServer/elicitation/request", id: RequestId, params: McpServerElicitationRequestParams } | { method: "execCommandApproval", id: RequestId, params: ExecCommandApprovalParams } | { method: "applyPatchApproval", id: RequestId, params: ApplyPatchApprovalParams };
