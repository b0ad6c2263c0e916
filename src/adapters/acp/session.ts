/** One ACP session: a thread with its prompts, settings and questions. */
import type {
  AgentContext,
  ClientCapabilities,
  ContentBlock,
  SessionConfigOption,
  SessionModeState,
  SessionUpdate,
  StopReason,
} from "@agentclientprotocol/sdk/unstable";
import type { Client } from "../../client/client.ts";
import { errorMessage } from "../../lib/error-text.ts";
import type { TerminalCreateParams, TerminalCreateResponse } from "../../protocol/client-terminal.ts";
import { invalidRequest, RpcError } from "../../protocol/errors.ts";
import type { ThreadItem } from "../../protocol/item.ts";
import type { Model } from "../../protocol/model.ts";
import type { ThreadStartResponse } from "../../protocol/thread.ts";
import type { ThreadSettingsUpdateParams } from "../../protocol/thread-settings.ts";
import type { Turn, TurnError } from "../../protocol/turn.ts";
import { type Chosen, changeForMode, changeForOption, chosenFrom, chosenFromSettings, modesFor, optionsFor } from "./options.ts";
import { type Request, requestFrom } from "./prompt.ts";
import type { Asker } from "./questions.ts";
import { EditorTerminals } from "./terminals.ts";
import { undoTurn } from "./undo.ts";
import { mergeIntoBuffer } from "./unsaved-changes.ts";
import { Updates } from "./updates.ts";

export interface SessionOptions {
  readonly client: Client;
  readonly editor: AgentContext;
  readonly capabilities: ClientCapabilities;
  readonly models: readonly Model[];
}

/** A turn that failed; the pending prompt request is rejected with this reason. */
export class PromptFailed extends Error {
  readonly error: TurnError | undefined;
  constructor(error: TurnError | undefined) {
    super(error?.message ?? "the turn failed");
    this.error = error;
  }
}

export class AcpSession implements Asker {
  readonly sessionId: string;
  readonly cwd: string;
  readonly capabilities: ClientCapabilities;
  readonly terminals: EditorTerminals;
  readonly #options: SessionOptions;
  readonly #updates: Updates;
  readonly #atFirst: Chosen;
  #now: Chosen;
  /** Sends updates in the thread's order, although some of them have to read a file first. */
  #updatesSent: Promise<void> = Promise.resolve();
  readonly #waiting = new Map<string, PromiseWithResolvers<Turn>>();
  readonly #ended = new Map<string, Turn>();
  #running: string | undefined;
  /** A prompt whose turn id is not known yet. */
  #beginning: Promise<string> | undefined;
  /** Aborts the questions of the running turn. */
  #questions = new AbortController();

  constructor(answer: ThreadStartResponse, options: SessionOptions) {
    this.sessionId = answer.thread.id;
    this.cwd = answer.cwd;
    this.capabilities = options.capabilities;
    this.terminals = new EditorTerminals(options.editor, this.sessionId);
    this.#options = options;
    this.#updates = new Updates((file) => this.readText(file), options.capabilities);
    this.#atFirst = chosenFrom(answer);
    this.#now = this.#atFirst;
  }

  get modes(): SessionModeState {
    return modesFor(this.#now, this.#atFirst);
  }
  get configOptions(): SessionConfigOption[] {
    return optionsFor(this.#now, this.#atFirst, this.#options.models);
  }

  /** Resolves when the turn has ended and all updates about it were sent. */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<StopReason> {
    const request = requestFrom(blocks);
    if (request.kind === "undo") return await this.#undo(request.withFiles);
    const beginning = this.#begin(request);
    this.#beginning = beginning;
    const turnId = await beginning.finally(() => {
      if (this.#beginning === beginning) this.#beginning = undefined;
    });
    const stop = (): void => void this.#interrupt(turnId);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      const turn = await this.#end(turnId);
      await this.#updatesSent;
      if (turn.status === "interrupted") return "cancelled";
      if (turn.status === "failed" && turn.error?.codexErrorInfo === "contextWindowExceeded") return "max_tokens";
      if (turn.status === "failed") throw new PromptFailed(turn.error ?? undefined);
      return "end_turn";
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** Interrupts the running turn, or the one that is about to start, and withdraws its questions. */
  async cancel(): Promise<void> {
    const turnId = (await this.#beginning?.catch(() => undefined)) ?? this.#running;
    if (turnId !== undefined) await this.#interrupt(turnId);
  }

  /** False if there is no such mode. */
  async setMode(modeId: string): Promise<boolean> {
    return await this.#change(changeForMode(modeId, this.#now, this.#atFirst));
  }
  /** False if there is no such option or value. */
  async setOption(choice: { configId: string; value: string | boolean }): Promise<boolean> {
    return await this.#change(changeForOption(choice, this.#now, this.#atFirst, this.#options.models));
  }

  /** Handles one notification of the thread. */
  receive(method: string, params: unknown): void {
    const { turn } = params as { turn?: Turn };
    if (method === "turn/started") this.#running = turn?.id;
    if (method === "thread/settings/updated")
      return this.#changed(chosenFromSettings((params as { threadSettings: never }).threadSettings));
    this.#queueUpdates(() => this.#updates.from(method, params));
    if (method === "item/completed") this.#queueUpdates(() => this.#merge((params as { item: ThreadItem }).item));
    if (method === "turn/completed" && turn !== undefined) this.#turnEnded(turn);
  }
  /** Sends the earlier turns to the editor. */
  async replay(turns: readonly Turn[]): Promise<void> {
    for (const turn of turns) for (const item of turn.items) this.#queueUpdates(() => this.#updates.replayed(item));
    await this.#updatesSent;
  }
  async update(update: SessionUpdate): Promise<void> {
    this.#queueUpdates(async () => [update]);
    await this.#updatesSent;
  }

  async permission(request: Parameters<Asker["permission"]>[0]): ReturnType<Asker["permission"]> {
    await this.#updatesSent; // the editor must know the tool call before it is asked about it
    return await this.#options.editor.request("session/request_permission", request, this.#withdrawable).catch(unanswered);
  }
  async elicit(request: Parameters<Asker["elicit"]>[0]): ReturnType<Asker["elicit"]> {
    await this.#updatesSent;
    return await this.#options.editor.request("elicitation/create", request, this.#withdrawable).catch(unanswered);
  }
  /** The editor's text including unsaved changes if the editor lets us read it; otherwise the file on disk. */
  async readText(file: string): Promise<string | undefined> {
    if (this.capabilities.fs?.readTextFile === true) {
      const shown = await this.readBuffer({ path: file }).catch(() => undefined);
      if (shown !== undefined) return shown;
    }
    return await this.readSaved(file);
  }
  async readSaved(file: string): Promise<string | undefined> {
    try {
      const { dataBase64 } = await this.#options.client.call("fs/readFile", { path: file });
      return Buffer.from(dataBase64, "base64").toString("utf8");
    } catch (error) {
      if (error instanceof RpcError) return undefined;
      throw error;
    }
  }

  /** Rejects with the editor's own error message if the editor cannot read the file. */
  async readBuffer(wanted: { readonly path: string; readonly line?: number; readonly limit?: number }): Promise<string> {
    const { content } = await this.#options.editor.request(
      "fs/read_text_file",
      { ...wanted, sessionId: this.sessionId },
      this.#withdrawable,
    );
    return content;
  }

  async writeBuffer(file: string, content: string): Promise<void> {
    await this.#options.editor.request("fs/write_text_file", { path: file, content, sessionId: this.sessionId }, this.#withdrawable);
  }
  async #merge(item: ThreadItem): Promise<SessionUpdate[]> {
    const { fs } = this.capabilities;
    if (item.type !== "fileChange" || item.status !== "completed" || fs?.readTextFile !== true || fs.writeTextFile !== true) return [];
    const notes = await Promise.all(item.changes.map((change) => mergeIntoBuffer(change, this)));
    return notes.flatMap((text) =>
      text === undefined ? [] : [{ sessionUpdate: "agent_message_chunk", content: { type: "text", text: `${text}\n` } }],
    );
  }

  /** The command's tool call shows the terminal from now on. */
  async createTerminal(params: TerminalCreateParams): Promise<TerminalCreateResponse> {
    await this.#updatesSent; // the editor must know the tool call first
    const created = await this.terminals.create(params);
    this.#queueUpdates(async () => this.#updates.runsIn(created.terminalId, params.itemId));
    return created;
  }

  get #withdrawable() {
    return { cancellationSignal: this.#questions.signal, stopWaitingOnCancel: true };
  }

  /** Starts no turn: the response is a message of ours. */
  async #undo(withFiles: boolean): Promise<StopReason> {
    const text = await undoTurn(this.#options.client, this.sessionId, withFiles);
    await this.update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
    return "end_turn";
  }

  async #begin(request: Exclude<Request, { kind: "undo" }>): Promise<string> {
    const { client } = this.#options;
    const threadId = this.sessionId;
    if (request.kind === "input") return (await client.call("turn/start", { threadId, input: request.input })).turn.id;
    if (request.kind === "review") {
      const { instructions } = request;
      const target = instructions === "" ? { type: "uncommittedChanges" as const } : { type: "custom" as const, instructions };
      return (await client.call("review/start", { threadId, target, delivery: "inline" })).turn.id;
    }
    const started = Promise.withResolvers<string>();
    const stop = client.on("turn/started", (p) => p.threadId === threadId && started.resolve(p.turn.id));
    try {
      await client.call("thread/compact/start", { threadId });
      return await started.promise;
    } finally {
      stop();
    }
  }

  /** The turn may have ended before the response with its id was processed. */
  async #end(turnId: string): Promise<Turn> {
    const ended = this.#ended.get(turnId);
    if (ended !== undefined) return ended;
    const waiting = this.#waiting.get(turnId) ?? Promise.withResolvers<Turn>();
    this.#waiting.set(turnId, waiting);
    const { client } = this.#options;
    const gone = (): void => waiting.reject(client.ended.reason);
    client.ended.addEventListener("abort", gone, { once: true });
    return await waiting.promise.finally(() => client.ended.removeEventListener("abort", gone));
  }
  #turnEnded(turn: Turn): void {
    this.#running = undefined;
    this.#questions.abort();
    this.#questions = new AbortController();
    this.#ended.clear();
    this.#ended.set(turn.id, turn);
    this.#waiting.get(turn.id)?.resolve(turn);
    this.#waiting.delete(turn.id);
  }

  async #interrupt(turnId: string): Promise<void> {
    // The turn may have ended in the meantime; then there is nothing to interrupt.
    await this.#options.client.call("turn/interrupt", { threadId: this.sessionId, turnId }).catch(() => {});
  }

  async #change(change: Omit<ThreadSettingsUpdateParams, "threadId"> | undefined): Promise<boolean> {
    if (change === undefined) return false;
    const { client } = this.#options;
    await client.call("thread/settings/update", { ...change, threadId: this.sessionId });
    // Changes are announced before this response arrives; unchanged settings are not announced at all.
    await client.call("thread/loaded/list", { limit: 1 });
    return true;
  }
  #changed(now: Chosen): void {
    const before = this.modes.currentModeId;
    this.#now = now;
    const { currentModeId } = this.modes;
    const mode: SessionUpdate[] = currentModeId === before ? [] : [{ sessionUpdate: "current_mode_update", currentModeId }];
    this.#queueUpdates(async () => [...mode, { sessionUpdate: "config_option_update", configOptions: this.configOptions }]);
  }

  #queueUpdates(make: () => Promise<SessionUpdate[]>): void {
    this.#updatesSent = this.#updatesSent
      .then(async () => {
        for (const update of await make()) await this.#options.editor.notify("session/update", { sessionId: this.sessionId, update });
      })
      .catch(() => {}); // the editor has disconnected
  }
}

/** Withdrawn by us or refused by the editor: both count as a no. */
function unanswered(error: unknown): never {
  throw invalidRequest(errorMessage(error));
}
