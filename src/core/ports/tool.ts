/** Port: what the model can call. A tool describes its action; approval and sandbox live in core, so that no tool can skip them. */

import type { ThreadItem } from "../../protocol/item.ts";
import type { ApprovalRequest, Ruling } from "./approval.ts";
import type { Channel } from "./audience.ts";
import type { AuditEntry } from "./audit.ts";
import type { Config } from "./config.ts";
import type { FileHunk } from "./file-hunk.ts";
import type { JsonObject, ModelInfo } from "./model-client.ts";
import type { ThreadSettings } from "./settings.ts";

/** The result for the model. */
export type ToolOutput =
  | { readonly kind: "text"; readonly text: string; readonly success: boolean }
  | { readonly kind: "content"; readonly content: readonly ToolContent[]; readonly success: boolean };
export type ToolContent =
  | { readonly type: "input_text"; readonly text: string }
  | { readonly type: "input_image"; readonly image_url: string };

export const succeeded = (text: string): ToolOutput => ({ kind: "text", text, success: true });
export const failed = (text: string): ToolOutput => ({ kind: "text", text, success: false });

/** The action of a tool. Core runs it: item, policy, approval, sandbox, output. */
export type Action =
  | CommandAction
  | PatchAction
  /** Sends input to a running command, or polls it. */
  | {
      readonly kind: "stdin";
      readonly sessionId: number;
      readonly chars: string;
      readonly yieldMs: number;
      readonly maxOutputTokens?: number;
    }
  /** Additional sandbox permissions: writable folders, the network. */
  | { readonly kind: "permissions"; readonly write: readonly string[]; readonly network: boolean; readonly reason: string | undefined }
  | NetworkAction
  /** An action that needs no approval: the tool runs it itself. */
  | { readonly kind: "direct"; run(context: ToolContext): Promise<ToolOutput> };

/** Changes files: by a patch in the grammar of apply_patch, or by a list of changes. */
export type PatchAction = { readonly kind: "patch"; readonly cwd: string } & (
  | { readonly patch: string }
  | { readonly changes: readonly FileHunk[] }
);

/** Connects to a host from the server itself, where the sandbox has a network or the person agrees. `run` connects to no other host. */
export interface NetworkAction {
  readonly kind: "network";
  readonly url: URL;
  run(context: ToolContext): Promise<ToolOutput>;
}

export interface CommandAction {
  readonly kind: "command";
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly tty: boolean;
  /** How long the model waits before a running command moves to the background; undefined waits for its end. */
  readonly yieldMs: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly maxOutputTokens: number | undefined;
  /** The model asks to run it outside the sandbox. */
  readonly escalate: boolean;
  readonly justification: string | undefined;
  readonly prefixRule: readonly string[] | undefined;
  /** How the result is written for the model: each shell tool has its own format. */
  readonly format: "shell" | "shell_command" | "exec_command";
}

export interface ToolCall {
  readonly callId: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  /** Parsed JSON arguments of a function call, or `undefined` when the text was not JSON. */
  readonly args: unknown;
  /** The text as the model wrote it; the whole input of a free-form tool. */
  readonly text: string;
}

/** What a direct tool may use. Items it starts are shown to every client and stored when completed. */
export interface ToolContext extends Channel {
  readonly threadId: string;
  readonly turnId: string;
  readonly callId: string;
  readonly settings: ThreadSettings;
  readonly signal: AbortSignal;
  startItem(item: ThreadItem): void;
  /** Resolves when the item is stored and announced. */
  completeItem(item: ThreadItem): Promise<void>;
  /** Writes an entry about this call to the audit log. Rejects with AuditUnwritten; the action must not run then. */
  writeAudit(entry: Omit<AuditEntry, "threadId" | "turnId" | "itemId">): Promise<void>;
  /** Whether the call may run: by existing decisions, the user's hooks, or the person's answer; all recorded in the audit log. */
  approve(request: ApprovalRequest): Promise<Ruling>;
}

/** A tool as the model sees it, without the name: the offered name is the one under which a call finds it. */
export type ToolFace =
  | { readonly type: "function"; readonly description: string; readonly parameters: JsonObject }
  /** Free text constrained by a grammar; wires without it get the same tool as a function. */
  | { readonly type: "custom"; readonly description: string; readonly format: JsonObject }
  /** Run by the provider itself; left out on wires without such tools. */
  | { readonly type: "web_search" | "web_fetch"; readonly options?: JsonObject };

export interface Tool {
  readonly name: string;
  /** Offered to the model inside this namespace; on wires without namespaces as `<namespace>__<name>`. */
  readonly namespace?: string;
  /** What the model reads about the namespace as a whole. */
  readonly namespaceDescription?: string;
  readonly face: ToolFace;
  /** Names that models trained on other tools use for this one; accepted where it is offered and no tool has that name. */
  readonly aliases?: readonly string[];
  /** Checks the arguments and returns the action, or `failed(…)` for the model. Pure: no side effects. */
  plan(call: ToolCall, settings: ThreadSettings): Action | ToolOutput;
  /** Parses the text of a call that is not JSON. */
  readonly takesText?: boolean;
  /** Calls that must not run beside others of the same answer. Default: may run in parallel. */
  readonly exclusive?: boolean;
  /** Accepted when the model calls it, but not offered. */
  readonly silent?: boolean;
}

const maxSchema = 4000;

/** For invalid arguments: what was wrong, and the expected form. */
export function badArguments(problem: string, tool: Pick<Tool, "name" | "face">): ToolOutput {
  const schema = tool.face.type === "function" ? JSON.stringify(tool.face.parameters) : "";
  const shape = schema === "" || schema.length > maxSchema ? "" : `\nThe arguments of ${tool.name} are JSON of this schema: ${schema}`;
  return failed(`failed to parse function arguments: ${problem}${shape}`);
}

/** What a source needs to decide which tools to offer. */
export interface Offer {
  readonly threadId: string;
  readonly settings: ThreadSettings;
  readonly config: Config;
  readonly model: ModelInfo & { readonly known: boolean };
  /** The client's own tools, as they came with `thread/start`. */
  readonly dynamicTools: readonly unknown[];
  /** Whether somebody can answer questions; false in non-interactive runs. */
  readonly interactive: boolean;
}

/** A required tool source is unavailable: the turn fails with this message. */
export class ToolsUnavailable extends Error {}

/** Tools from somewhere: built in, the client's, an MCP server's. A later source cannot shadow a built-in name. */
export interface ToolSource {
  /** Rejects with ToolsUnavailable, or with the reason of the aborted signal. */
  tools(offer: Offer, signal: AbortSignal): readonly Tool[] | Promise<readonly Tool[]>;
}
export type { JsonObject };
