/** The server's requests to the person: shown one after another, answered once, and removed when another client was faster. */
import type { AnsweredElsewhere, Client } from "../../client/client.ts";
import { isRecord } from "../../lib/is-record.ts";
import { cleanLine } from "../../lib/terminal-text.ts";
import type { DynamicToolCallParams, DynamicToolCallResponse } from "../../protocol/dynamic-tool.ts";
import type { FileUpdateChange } from "../../protocol/item.ts";
import { type Approval, changeApproval, commandApproval, permissionsApproval, pressApproval } from "../ask/approval.ts";
import { type Form, type Given, pasteForm, pressForm } from "../ask/form.ts";
import { elicitationAnswer, elicitationPrompt, questionsAnswer, questionsForm } from "../ask/questions.ts";
import type { Key } from "../compose/key.ts";
import { liveOf } from "../state/conversation.ts";
import { armedAt, isArmed, type PendingQuestion, postponed } from "../state/ui.ts";
import type { Shell } from "./shell.ts";

/** Another client may have registered the tool; only when it does not answer is the call declined. */
const toolGraceMs = 5000;

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
  /** What a filled form means on the wire. */
  readonly answerOf: (form: Form, given: Given) => unknown;
  readonly cancel: () => unknown;
}

export class Questions {
  readonly #shell: Shell;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  /** Called when something waits for the person. */
  onAsked: (title: string) => void = () => {};

  constructor(shell: Shell) {
    this.#shell = shell;
    shell.ide.onDecided = (id, decision) => this.#decided(id, decision);
  }

  /** Answers every request that the server may send on this connection. */
  serve(client: Client): void {
    client.answer("item/commandExecution/requestApproval", (params, signal) =>
      this.#ask<{ decision: "accept" }>(commandApproval(params), params, signal),
    );
    client.answer("item/fileChange/requestApproval", (params, signal) =>
      this.#ask<{ decision: "accept" }>(changeApproval(params, this.#changesOf(params.itemId)), params, signal),
    );
    client.answer("item/permissions/requestApproval", (params, signal) =>
      this.#ask<{ permissions: object }>(permissionsApproval(params), params, signal),
    );
    client.answer("item/tool/requestUserInput", (params, signal) =>
      this.#ask(questionsForm(params), params, signal, {
        answerOf: (_form, given) => questionsAnswer(given),
        cancel: cancelQuestions,
      }),
    );
    client.answer("mcpServer/elicitation/request", (params, signal) => this.#elicit(params, signal));
    client.answer("item/tool/call", (params, signal) => this.#declineTool(params, signal));
  }

  #elicit(params: Parameters<typeof elicitationPrompt>[0], signal: AbortSignal): Promise<{ action: "accept" | "decline" | "cancel" }> {
    const prompt = elicitationPrompt(params);
    if (prompt.kind === "unknown") {
      this.#shell.store.note(
        "warning",
        `A question of ${cleanLine(params.serverName)} was declined: this terminal cannot show its form (${cleanLine(prompt.mode)})`,
      );
      return Promise.resolve({ action: "decline" });
    }
    return this.#ask(prompt, params, signal, { answerOf: elicitationAnswer, cancel: () => ({ action: "cancel" }) });
  }

  async #declineTool({ tool, threadId }: DynamicToolCallParams, signal: AbortSignal): Promise<DynamicToolCallResponse> {
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, toolGraceMs);
      signal.addEventListener("abort", () => resolve(clearTimeout(timer)), { once: true });
    });
    signal.throwIfAborted();
    if (threadId === this.#shell.store.conversation.threadId)
      this.#shell.store.note("warning", `The tool ${cleanLine(tool)} belongs to a client that is not connected; the agent was notified`);
    return { success: false, contentItems: [{ type: "inputText", text: `the client that offers the tool ${tool} is not connected` }] };
  }

  #changesOf(itemId: string): readonly FileUpdateChange[] {
    const item = liveOf(this.#shell.store.conversation, itemId);
    return item?.kind === "changes" ? item.changes : [];
  }

  #ask<T>(
    prompt: Approval | Form,
    { threadId, itemId }: { readonly threadId: string; readonly itemId?: string },
    signal: AbortSignal,
    form: Pick<Waiting, "answerOf" | "cancel"> = noForm,
  ): Promise<T> {
    const { store } = this.#shell;
    const id = this.#nextId++;
    const from = threadId === store.conversation.threadId ? undefined : "a sub-agent";
    const question: PendingQuestion = { id, prompt, itemId, from, armedAtMs: armedAt(store.ui, this.#shell.now()) };
    store.setUi({ pending: [...store.ui.pending, question] });
    this.onAsked(prompt.title);
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve: (answer) => resolve(answer as T), reject, ...form });
      signal.addEventListener("abort", () => this.#withdraw(id, signal.reason), { once: true });
    });
  }

  /** Another client answered, the turn ended, or the connection is lost. */
  #withdraw(id: number, reason: AnsweredElsewhere | Error): void {
    const question = this.#shell.store.ui.pending.find((one) => one.id === id);
    const waiting = this.#take(id);
    if (waiting === undefined || question === undefined) return;
    waiting.reject(reason);
    const by = "by" in reason ? reason.by : undefined;
    this.#shell.store.note(
      "info",
      by === undefined ? `No longer asked: ${question.prompt.title}` : `Answered by ${cleanLine(by)}: ${question.prompt.title}`,
    );
  }

  /** The person has decided in the linked editor: only about what is still asked, and only as it is offered. */
  #decided(id: number, decision: string): void {
    const prompt = this.#shell.store.ui.pending.find((one) => one.id === id)?.prompt;
    if (prompt?.kind !== "approval" || prompt.subject.kind !== "changes") return;
    const choice = prompt.choices.find(({ answer }) => isRecord(answer) && answer["decision"] === decision);
    if (choice === undefined) return;
    this.#take(id)?.resolve(choice.answer);
    this.#shell.store.note("info", `Decided in the editor: ${choice.label}`);
  }

  #take(id: number): Waiting | undefined {
    const { store } = this.#shell;
    this.#shell.ide.closeChange(id);
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    store.setUi({ pending: store.ui.pending.filter((one) => one.id !== id) });
    return waiting;
  }

  /** True when a question handled the key. */
  press(key: Key): boolean {
    const { store } = this.#shell;
    const [question] = store.ui.pending;
    if (question === undefined) return false;
    if (!isArmed(question, this.#shell.now())) {
      this.#replace(postponed(question, this.#shell.now()));
      return true;
    }
    if (question.prompt.kind === "approval") {
      const next = pressApproval(question.prompt, key);
      if (next === undefined) return true;
      if ("answer" in next) this.#take(question.id)?.resolve(next.answer);
      else this.#replace({ ...question, prompt: next });
      return true;
    }
    const next = pressForm(question.prompt, key);
    if (next === undefined) return true;
    if ("kind" in next) this.#replace({ ...question, prompt: next });
    else this.#finish(question.id, question.prompt, next);
    return true;
  }

  #finish(id: number, form: Form, ended: { readonly given: Given } | { readonly cancelled: true }): void {
    const waiting = this.#take(id);
    if (waiting === undefined) return;
    if ("given" in ended) this.#shell.store.note("success", "You answered", answersText(form, ended.given));
    waiting.resolve("given" in ended ? waiting.answerOf(form, ended.given) : waiting.cancel());
  }

  paste(text: string): boolean {
    const [question] = this.#shell.store.ui.pending;
    if (question === undefined) return false;
    if (question.prompt.kind === "form") this.#replace({ ...question, prompt: pasteForm(question.prompt, text) });
    return true;
  }

  #replace(question: PendingQuestion): void {
    const { store } = this.#shell;
    store.setUi({ pending: store.ui.pending.map((one) => (one.id === question.id ? question : one)) });
  }
}

/** The given answer, for the transcript; secrets are left out. */
function answersText({ fields }: Form, given: Given): string {
  return fields
    .flatMap(({ id, header, question, isSecret }) => {
      const values = given[id];
      return values === undefined ? [] : [`${header || question}: ${isSecret ? "(secret)" : values.map(cleanLine).join(", ")}`];
    })
    .join("\n");
}

/** Answers none of the questions: with the value that our own servers expect, and in the form that other servers accept. */
const cancelQuestions = (): object => ({ answers: {}, cancelled: true });

const noForm: Pick<Waiting, "answerOf" | "cancel"> = { answerOf: () => ({}), cancel: () => ({}) };
