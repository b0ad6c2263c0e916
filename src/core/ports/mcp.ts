/** Port: MCP servers of the user's settings, for the handlers and for the agent. */
import type { McpAuthStatus, McpResourceReadResponse, McpServerStatus, McpServerToolCallResponse } from "../../protocol/mcp.ts";
import type { Config, McpServerConfig } from "./config.ts";
import type { ToolSource } from "./tool.ts";

/** Whose connections: a thread's own, or the ones that the server keeps for looking around. */
export interface McpScope {
  readonly threadId: string | undefined;
  readonly config: Config;
  readonly cwd: string;
}

export interface McpServers {
  /** Tools of all servers that could be started, and the resource tools. */
  readonly tools: ToolSource;
  /** Starts a thread's servers side by side and notifies the thread's subscribers of each one's state, also of those that run already. */
  start(scope: McpScope): void;
  /** Resolves when every server that the settings call required has started; rejects with RpcError and the reasons when one cannot. */
  required(scope: McpScope): Promise<void>;
  statuses(
    scope: McpScope,
    options: { readonly detail: "full" | "toolsAndAuthOnly"; readonly serverName?: string | undefined },
  ): Promise<readonly McpServerStatus[]>;
  /** Rejects with RpcError when there is no such server, or it cannot be reached. */
  readResource(scope: McpScope, server: string, uri: string): Promise<McpResourceReadResponse>;
  callTool(
    scope: McpScope,
    call: { readonly server: string; readonly tool: string; readonly args: unknown; readonly meta?: unknown },
  ): Promise<McpServerToolCallResponse>;
  /** Starts a sign-in; `done` resolves when the browser came back, and never rejects. */
  login(
    scope: McpScope,
    server: string,
    scopes: readonly string[] | undefined,
  ): Promise<{ readonly url: string; readonly loginId: string; readonly done: Promise<{ readonly error: string | undefined }> }>;
  /** Forgets a sign-in; says whether there was one. */
  logout(config: McpServerConfig): Promise<boolean>;
  /** How a server knows us, without asking it. */
  authStatus(config: McpServerConfig): McpAuthStatus;
  /** Whether a server may be started: one that a project defines needs the user's yes, and a new one for each change. */
  isAccepted(config: McpServerConfig): boolean;
  accept(config: McpServerConfig): void;
  /** The settings changed: each thread takes over what they say now with its next turn. */
  reload(): Promise<void>;
  /** A thread was unloaded: its servers end. */
  leave(threadId: string): Promise<void>;
  close(): Promise<void>;
}
