/** Port: MCP servers of the user's settings, for the handlers and for the agent. */
import type { McpAuthStatus, McpResourceReadResponse, McpServerStatus, McpServerToolCallResponse } from "../../protocol/mcp.ts";
import type { Config, McpServerConfig } from "./config.ts";
import type { ToolSource } from "./tool.ts";

/** The owner of the connections: a thread, or the server's shared ones for listing. */
export interface McpScope {
  readonly threadId: string | undefined;
  readonly config: Config;
  readonly cwd: string;
}

export interface McpServers {
  /** Tools of all servers that could be started, and the resource tools. */
  readonly tools: ToolSource;
  /** Starts a thread's servers in parallel and notifies the thread's subscribers of each one's state, including those already running. */
  start(scope: McpScope): void;
  /** Resolves when every required server has started; rejects with RpcError and the reasons when one cannot. */
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
  /** Starts a sign-in; `done` resolves when the browser has returned, and never rejects. */
  login(
    scope: McpScope,
    server: string,
    scopes: readonly string[] | undefined,
  ): Promise<{ readonly url: string; readonly loginId: string; readonly done: Promise<{ readonly error: string | undefined }> }>;
  /** Removes a sign-in; returns whether there was one. */
  logout(config: McpServerConfig): Promise<boolean>;
  /** How we authenticate with a server, without contacting it. */
  authStatus(config: McpServerConfig): McpAuthStatus;
  /** Whether a server may be started: one defined by a project needs the user's approval, and again after each change. */
  isAccepted(config: McpServerConfig): boolean;
  accept(config: McpServerConfig): void;
  /** The settings changed: each thread applies them at its next turn. */
  reload(): Promise<void>;
  /** A thread was unloaded: its servers end. */
  leave(threadId: string): Promise<void>;
  close(): Promise<void>;
}
