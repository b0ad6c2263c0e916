/** Hooks: programs and MCP tools that the user's settings name, run at fixed points of a thread. */
import type { HookEventName, HookMetadata } from "../../protocol/hooks.ts";

/** A hook as the settings define it. */
export interface Hook {
  /** As `hooks/list` shows it. */
  readonly metadata: HookMetadata;
  readonly handler: CommandHook | McpToolHook;
  /** Whether it may run: enabled, and managed or trusted with exactly this content. */
  readonly runs: boolean;
}

export interface CommandHook {
  readonly type: "command";
  /** The command, for the user's shell. */
  readonly command: string;
  /** Added to the environment of the user's own programs. */
  readonly env: Readonly<Record<string, string>>;
  /** Nothing waits for it, and it decides nothing. */
  readonly isAsync: boolean;
}

export interface McpToolHook {
  readonly type: "mcpTool";
  readonly server: string;
  readonly tool: string;
  /** Its arguments; `${field.inner}` is replaced with a field of the event. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** The names of the events as settings, hooks themselves and trust keys spell them. */
export const hookEventNames: Readonly<Record<HookEventName, string>> = {
  preModelRequest: "PreModelRequest",
  postModelRequest: "PostModelRequest",
  preToolUse: "PreToolUse",
  permissionRequest: "PermissionRequest",
  postToolUse: "PostToolUse",
  preCompact: "PreCompact",
  postCompact: "PostCompact",
  sessionStart: "SessionStart",
  sessionEnd: "SessionEnd",
  userPromptSubmit: "UserPromptSubmit",
  subagentStart: "SubagentStart",
  subagentStop: "SubagentStop",
  stop: "Stop",
  interrupt: "Interrupt",
};
