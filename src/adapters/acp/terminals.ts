/** Terminals in the editor: real ones for commands that run outside the sandbox, and for all others terminals that only show what the sandbox's command writes. */
import type { AgentContext, ClientCapabilities, TerminalHandle, ToolCallContent } from "@agentclientprotocol/sdk/unstable";
import { errorMessage } from "../../lib/error-text.ts";
import type {
  TerminalCreateParams,
  TerminalCreateResponse,
  TerminalExitStatus,
  TerminalOutputResponse,
} from "../../protocol/client-terminal.ts";
import { invalidRequest } from "../../protocol/errors.ts";

/** Passes the engine's requests about a terminal on to the editor. The engine limits how long it waits for each. */
export class EditorTerminals {
  readonly #editor: AgentContext;
  readonly #sessionId: string;
  /** Those that are not released yet. */
  readonly #open = new Map<string, TerminalHandle>();

  constructor(editor: AgentContext, sessionId: string) {
    this.#editor = editor;
    this.#sessionId = sessionId;
  }

  async create({ command, args, cwd, env, outputByteLimit }: TerminalCreateParams): Promise<TerminalCreateResponse> {
    const wanted = { command, args, cwd, env, outputByteLimit, sessionId: this.#sessionId };
    const terminal = await this.#editor.createTerminal(wanted).catch(refused);
    this.#open.set(terminal.id, terminal);
    return { terminalId: terminal.id };
  }
  async output(terminalId: string): Promise<TerminalOutputResponse> {
    const { output, truncated, exitStatus } = await this.#of(terminalId).currentOutput().catch(refused);
    return { output, truncated, exitStatus: exitStatus ? plain(exitStatus) : null };
  }
  async waitForExit(terminalId: string): Promise<TerminalExitStatus> {
    return plain(await this.#of(terminalId).waitForExit().catch(refused));
  }
  async kill(terminalId: string): Promise<object> {
    await this.#of(terminalId).kill().catch(refused);
    return {};
  }
  async release(terminalId: string): Promise<object> {
    const terminal = this.#of(terminalId);
    this.#open.delete(terminalId);
    await terminal.release().catch(refused);
    return {};
  }

  #of(terminalId: string): TerminalHandle {
    const terminal = this.#open.get(terminalId);
    if (terminal === undefined) throw invalidRequest(`the editor has no terminal ${terminalId}`);
    return terminal;
  }
}

const plain = ({ exitCode, signal }: TerminalExitStatus): TerminalExitStatus => ({ exitCode: exitCode ?? null, signal: signal ?? null });

function refused(error: unknown): never {
  throw invalidRequest(`the editor: ${errorMessage(error)}`);
}

/** A terminal inside a tool call. */
export const terminalContent = (terminalId: string): ToolCallContent[] => [{ type: "terminal", terminalId }];

/** How an editor takes output for terminals that it only shows: the key in `_meta` of the pieces, as editors announce it. */
export function shownOutputKey({ _meta }: ClientCapabilities): "terminal_output" | "terminal_output_delta" | undefined {
  if (_meta?.["terminal_output_delta"] === true) return "terminal_output_delta";
  return _meta?.["terminal_output"] === true ? "terminal_output" : undefined;
}

/** Parts of `_meta` for a terminal that only shows a command's output, in the form of Codex's own adapter. Its id is that of the item. */
export const shownTerminal = {
  info: (terminal_id: string, cwd: string) => ({ terminal_info: { terminal_id, cwd } }),
  exit: (terminal_id: string, exit_code: number | null) => ({ terminal_exit: { terminal_id, exit_code, signal: null } }),
};
