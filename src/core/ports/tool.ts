/** Port: what the model can call. A tool says what it wants to do; approval and sandbox live in core, so that no tool can forget them. */

import type { ThreadItem } from "../../protocol/item.ts";
import type { ApprovalRequest, Ruling } from "./approval.ts";
import type { Channel } from "./audience.ts";
import type { AuditEntry } from "./audit.ts";
import type { Config } from "./config.ts";
import type { FileHunk } from "./file-hunk.ts";
import type { JsonObject, ModelInfo } from "./model-client.ts";
import type { ThreadSettings } from "./settings.ts";

/** What goes back to the model. */
export type ToolOutput =
  | { readonly kind: "text"; readonly text: string; readonly success: boolean }
  | { readonly kind: "content"; readonly content: readonly ToolContent[]; readonly success: boolean };
export type ToolContent =
  | { readonly type: "input_text"; readonly text: string }
  | { readonly type: "input_image"; readonly image_url: string };

export const said = (text: string): ToolOutput => ({ kind: "text", text, success: true });
export const failed = (text: string): ToolOutput => ({ kind: "text", text, success: false });

/** What a tool wants done. Core runs it: item, policy, approval, sandbox, output. */
export type Action =
  | CommandAction
  | PatchAction
  /** More input for, or a look at, a command that still runs. */
  | {
      readonly kind: "stdin";
      readonly sessionId: number;
      readonly chars: string;
      readonly yieldMs: number;
      readonly maxOutputTokens?: number;
    }
  /** More room in the sandbox: folders to write, the network. */
  | { readonly kind: "permissions"; readonly write: readonly string[]; readonly network: boolean; readonly reason: string | undefined }
  | NetworkAction
  /** Nothing that needs approval: the tool does it itself. */
  | { readonly kind: "direct"; run(context: ToolContext): Promise<ToolOutput> };

/** Change files: by a patch in the grammar of apply_patch, or by a list of changes. */
export type PatchAction = { readonly kind: "patch"; readonly cwd: string } & (
  | { readonly patch: string }
  | { readonly changes: readonly FileHunk[] }
);

/** Reach a host from the server itself, where the sandbox has a network or the person says yes. `run` reaches no other host. */
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
  /** How long the model wants to wait before a running command is handed over to the background; undefined waits for its end. */
  readonly yieldMs: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly maxOutputTokens: number | undefined;
  /** The model asks to run it outside the sandbox. */
  readonly escalate: boolean;
  readonly justification: string | undefined;
  readonly prefixRule: readonly string[] | undefined;
  /** How the result is written for the model: each shell tool has its own form. */
  readonly format: "shell" | "shell_command" | "exec_command";
}

export interface ToolCall {
  readonly callId: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  /** Parsed JSON arguments of a function call, or `undefined` when the text was no JSON. */
  readonly args: unknown;
  /** The text as the model wrote it; the whole input of a free-form tool. */
  readonly text: string;
}

/** What a direct tool may use. Items it starts are shown to every client and kept when completed. */
export interface ToolContext extends Channel {
  readonly threadId: string;
  readonly turnId: string;
  readonly callId: string;
  readonly settings: ThreadSettings;
  readonly signal: AbortSignal;
  startItem(item: ThreadItem): void;
  /** Resolves when the item is stored and announced. */
  completeItem(item: ThreadItem): Promise<void>;
  /** Writes an entry about this call into the audit log. Rejects with AuditUnwritten: then the action must not run. */
  writeAudit(entry: Omit<AuditEntry, "threadId" | "turnId" | "itemId">): Promise<void>;
  /** Whether the call may be carried out: by what is settled, the user's hooks, or the person's answer; all of it in the audit log. */
  approve(request: ApprovalRequest): Promise<Ruling>;
}

/** A tool as the model sees it. The name is not here: the one that is offered is the one that is found when it is called. */
export type ToolFace =
  | { readonly type: "function"; readonly description: string; readonly parameters: JsonObject }
  /** Free text under a grammar; wires without it get the function form of the same tool. */
  | { readonly type: "custom"; readonly description: string; readonly format: JsonObject }
  /** Run by the provider itself; left out on wires that have none. */
  | { readonly type: "web_search" | "web_fetch"; readonly options?: JsonObject };

export interface Tool {
  readonly name: string;
  /** Offered to the model as `<namespace>__<name>`. */
  readonly namespace?: string;
  readonly face: ToolFace;
  /** Names by which models that were trained on other tools call this one; understood where it is offered and no tool has that name. */
  readonly aliases?: readonly string[];
  /** Checks the arguments and says what to do, or returns `failed(…)` for the model. Pure: no side effect happens here. */
  plan(call: ToolCall, settings: ThreadSettings): Action | ToolOutput;
  /** Reads the text of a call that is no JSON by itself. */
  readonly takesText?: boolean;
  /** Calls that must not run beside others of the same answer. Default: may run in parallel. */
  readonly exclusive?: boolean;
  /** Understood when the model calls it, but not offered to it. */
  readonly silent?: boolean;
}

const maxSchema = 4000;

/** For arguments that cannot be read: what was wrong, and the form in which the tool takes them. */
export function badArguments(problem: string, tool: Pick<Tool, "name" | "face">): ToolOutput {
  const schema = tool.face.type === "function" ? JSON.stringify(tool.face.parameters) : "";
  const shape = schema === "" || schema.length > maxSchema ? "" : `\nThe arguments of ${tool.name} are JSON of this schema: ${schema}`;
  return failed(`failed to parse function arguments: ${problem}${shape}`);
}

/** What a source needs to know to decide which tools to offer. */
export interface Offer {
  readonly threadId: string;
  readonly settings: ThreadSettings;
  readonly config: Config;
  readonly model: ModelInfo & { readonly known: boolean };
  /** The client's own tools, as they came with `thread/start`. */
  readonly dynamicTools: readonly unknown[];
  /** Somebody can answer questions; false in non-interactive runs. */
  readonly interactive: boolean;
}

/** What the settings call required cannot be offered: the turn fails with this text. */
export class ToolsUnavailable extends Error {}

/** Tools from somewhere: built in, the client's, an MCP server's. A later source cannot shadow a built-in name. */
export interface ToolSource {
  /** Rejects with ToolsUnavailable, or with the reason of the aborted signal. */
  tools(offer: Offer, signal: AbortSignal): readonly Tool[] | Promise<readonly Tool[]>;
}
export type { JsonObject };
