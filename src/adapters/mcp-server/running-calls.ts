/** The calls running on one engine: routes each thread's notifications and questions to its call, and finds a call by its id. */

import type { Client } from "../../client/client.ts";
import { invalidRequest } from "../../protocol/errors.ts";
import type { ThreadItem } from "../../protocol/item.ts";
import { childrenIn } from "../agent-children.ts";
import { type Listener, ToolCall } from "./call.ts";
import { commandApproval, passedOn, patchApproval, userInput, type Wording } from "./questions.ts";
import type { Ask } from "./tools.ts";

/** Maximum number of concurrent calls; each is a turn of an agent. */
const maxCalls = 64;
/** Maximum number of sessions that are remembered as configured. */
const maxSessions = 1000;

export class RunningCalls {
  readonly #client: Client;
  readonly #calls = new Map<string, ToolCall>();
  #running = 0;
  /** Threads that calls have opened, the latest last. */
  readonly #sessions = new Set<string>();
  /** Parent thread ids of subagent threads, by thread id. */
  readonly #parents = new Map<string, string>();

  constructor(client: Client) {
    this.#client = client;
    client.onAny((method, params) => this.#receive(method, params));
    client.answer("item/commandExecution/requestApproval", (params) => this.#ask(commandApproval, params));
    client.answer("item/fileChange/requestApproval", (params) => this.#ask(patchApproval, params));
    client.answer("mcpServer/elicitation/request", (params) => this.#ask(passedOn, params));
    client.answer("item/tool/requestUserInput", (params) => {
      if (params.questions.some(({ isSecret }) => isSecret === true)) throw invalidRequest("secrets cannot be asked for over MCP");
      return this.#ask(userInput, params);
    });
  }

  start(wanted: Ask, listener: Listener, canAsk: boolean): ToolCall {
    const tooMany = { kind: "wrong", message: `${maxCalls} calls run already, the most that may at once; wait for one to end` } as const;
    const ask: Ask = wanted.kind === "wrong" || this.#running < maxCalls ? wanted : tooMany;
    this.#running++;
    const call = new ToolCall(this.#client, ask, { listener, canAsk, opened: (opened) => this.#opened(opened) });
    void call.finished.then(() => {
      this.#running--;
      this.#calls.delete(call.id);
    });
    return call;
  }
  /** Whether its session is new to this server. */
  #opened(call: ToolCall): boolean {
    this.#calls.set(call.id, call);
    const threadId = call.threadId ?? "";
    const isNew = !this.#sessions.delete(threadId);
    this.#sessions.add(threadId);
    for (const oldest of this.#sessions) if (this.#sessions.size > maxSessions) this.#sessions.delete(oldest);
    return isNew;
  }
  find(id: string): ToolCall | undefined {
    return this.#calls.get(id);
  }
  stopAll(): void {
    for (const call of this.#calls.values()) call.stop();
  }

  #on(threadId: string): ToolCall[] {
    const calls = [...this.#calls.values()].filter((call) => call.threadId === threadId);
    const parent = this.#parents.get(threadId);
    return calls.length === 0 && parent !== undefined ? this.#on(parent) : calls;
  }

  #receive(method: string, params: unknown): void {
    const { threadId, turnId, turn, item } = params as { threadId?: string | null; turnId?: string; turn?: never; item?: ThreadItem };
    // Server-wide warnings go to every running call: its client has no other place for them.
    if (method === "warning" && threadId === null) for (const call of this.#calls.values()) call.receive(method, params);
    for (const { id, parentId } of childrenIn(method, params)) this.#parents.set(id, parentId);
    if (threadId === undefined || threadId === null) return;
    for (const call of this.#calls.values()) {
      if (call.threadId !== threadId) continue;
      if (method === "item/completed" && item?.type === "agentMessage") call.receiveMessage(turnId ?? "", item.text);
      call.receive(method, params);
      if (method === "turn/completed" && turn !== undefined) call.turnEnded(turn);
    }
  }

  async #ask<P extends { readonly threadId: string }, R>(wording: Wording<P, R>, params: P): Promise<R> {
    const [call] = this.#on(params.threadId);
    if (call === undefined) throw invalidRequest("no call waits for this thread");
    return await call.ask(wording, params);
  }
}
