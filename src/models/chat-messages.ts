/** Writes a thread's history as Chat Completions messages. */
import { createHash } from "node:crypto";
import type { ModelRequest } from "../core/ports/model-client.ts";
import type { CatalogEntry } from "./catalog.ts";
import { type Call, developerText, type Entry, foreignReasoning, imagesLeftOut, noImage, noPdf, type Part, unseal } from "./convert.ts";
import { isRecord, listOf, recordOf } from "./json.ts";
import { tooLarge } from "./pictures.ts";
import { callAsText, resultAsText, toolsAsText } from "./text-tools.ts";
import type { FlatTools } from "./tools.ts";
import type { Lacks } from "./wire.ts";

export interface ChatHistory {
  readonly request: ModelRequest;
  readonly model: CatalogEntry;
  readonly lacks: Lacks;
  readonly flat: FlatTools;
  readonly entries: readonly Entry[];
  readonly warnings: string[];
}

type Message = Record<string, unknown> & { readonly role: string };

export function chatMessages(history: ChatHistory): readonly Message[] {
  const { entries } = history;
  const firstMessage = entries.findIndex((entry) => entry.kind !== "developer");
  const lead = firstMessage < 0 ? entries.length : firstMessage;
  const writer = new MessageWriter(history);
  for (const entry of entries.slice(lead)) writer.add(entry);
  const system = systemText(history, entries.slice(0, lead));
  const messages = history.lacks.has("freeRoles") ? alternating(writer.finish()) : writer.finish();
  if (system === "") return messages;
  return history.lacks.has("systemRole") ? withLead(messages, system) : [{ role: "system", content: system }, ...messages];
}

/** For templates without a system message: its text is prepended to the user's first message. */
function withLead([first, ...rest]: readonly Message[], system: string): readonly Message[] {
  if (first?.role !== "user") return [{ role: "user", content: system }, ...(first === undefined ? [] : [first]), ...rest];
  const { content } = first;
  const joined = typeof content === "string" ? `${system}\n\n${content}` : [{ type: "text", text: system }, ...listOf(content)];
  return [{ ...first, content: joined }, ...rest];
}

/**
 * Alternates user and assistant, apart from calls and their results: input during a turn, and images from tools, would otherwise
 * follow another user message. An answer in between depends on nothing later, so that the cached prefix stays valid.
 */
function alternating(messages: readonly Message[]): readonly Message[] {
  let before = "assistant";
  return messages.flatMap((message) => {
    if (message.role === "tool" || message["tool_calls"] !== undefined) return [message];
    const isSame = message.role === before;
    before = message.role;
    if (!isSame) return [message];
    return message.role === "user" ? [{ role: "assistant", content: "I see." }, message] : [{ role: "user", content: "Go on." }, message];
  });
}

/** One system message at the start: many chat templates allow no other place. */
function systemText({ request, lacks, flat }: ChatHistory, lead: readonly Entry[]): string {
  const parts = [request.instructions, ...lead.flatMap((entry) => (entry.kind === "developer" ? [developerText(entry.text)] : []))];
  if (lacks.has("tools") && flat.tools.length > 0) parts.push(toolsAsText(flat.tools));
  if (lacks.has("outputSchema") && isRecord(request.outputSchema))
    parts.push(
      `Your final answer must be one JSON value that fits this JSON Schema, with nothing around it:\n${JSON.stringify(request.outputSchema)}`,
    );
  return parts.filter((part) => part !== "").join("\n\n");
}

class MessageWriter {
  readonly #history: ChatHistory;
  readonly #messages: Message[] = [];
  #text: string[] = [];
  #calls: Call[] = [];
  #raw: string[] = [];
  #details: unknown[] = [];
  #user: Part[] = [];
  /** Images that tools returned; tool messages may contain only text, so the images follow in a user message. */
  #shown: Part[] = [];
  #results: Part[] = [];

  constructor(history: ChatHistory) {
    this.#history = history;
  }

  add(entry: Entry): void {
    switch (entry.kind) {
      case "developer":
        this.#addUser([{ kind: "text", text: developerText(entry.text) }]);
        return;
      case "user":
        this.#addUser(entry.parts);
        return;
      case "assistant":
        this.#flushUser();
        this.#text.push(entry.text);
        return;
      case "reasoning":
        this.#addReasoning(entry);
        return;
      case "call":
        this.#flushUser();
        this.#calls.push(entry);
        return;
      case "result":
        this.#addResult(entry.callId, entry.parts);
        return;
      case "hosted":
        return;
    }
  }

  finish(): readonly Message[] {
    this.#flushAssistant();
    this.#flushUser();
    return this.#messages;
  }

  #addUser(parts: readonly Part[]): void {
    this.#flushAssistant();
    this.#user.push(...parts);
  }

  #addReasoning(entry: Extract<Entry, { kind: "reasoning" }>): void {
    this.#flushUser();
    const own = unseal("chat", entry.sealed);
    if (own !== undefined) this.#details.push(...listOf(own["details"]));
    else if (entry.sealed !== undefined) this.#warn(foreignReasoning);
    else if (entry.content !== "") this.#raw.push(entry.content);
  }

  #addResult(callId: string, parts: readonly Part[]): void {
    this.#flushAssistant();
    const text = textOf(parts);
    const shown = parts.filter((part) => part.kind !== "text");
    if (this.#history.lacks.has("tools")) this.#results.push({ kind: "text", text: resultAsText(callId, text) });
    else this.#putResult({ role: "tool", tool_call_id: this.#callId(callId), content: text });
    if (shown.length > 0) this.#shown.push({ kind: "text", text: shownHead(shown) }, ...shown);
  }

  /** Where each call has a message of its own, its result follows that message. */
  #putResult(result: Message): void {
    const after = this.#messages.findLastIndex((message) => message.role === "assistant" && holdsCall(message, result["tool_call_id"]));
    const isSplit = after >= 0 && this.#messages[after + 1]?.role === "assistant";
    if (isSplit) this.#messages.splice(after + 1, 0, result);
    else this.#messages.push(result);
  }

  #callId(callId: string): string {
    return this.#history.lacks.has("freeCallIds") ? shortId(callId) : callId;
  }

  #flushAssistant(): void {
    const text = this.#text.join("\n\n");
    const calls = this.#calls;
    const [first, ...more] = calls;
    if (this.#history.lacks.has("severalCalls") && first !== undefined) {
      this.#messages.push(this.#assistant(text, [first]));
      for (const call of more) this.#messages.push(this.#assistant("", [call]));
    } else if (text !== "" || calls.length > 0) this.#messages.push(this.#assistant(text, calls));
    this.#text = [];
    this.#calls = [];
    this.#raw = [];
    this.#details = [];
  }

  #assistant(text: string, calls: readonly Call[]): Message {
    const { lacks, flat } = this.#history;
    if (lacks.has("tools") && calls.length > 0) {
      const written = calls.map((call) => callAsText(flat.callOut(call), call.callId));
      return { role: "assistant", content: [text, ...written].filter((part) => part !== "").join("\n") };
    }
    return {
      role: "assistant",
      content: text === "" ? null : text,
      ...this.#reasoningBack(calls.length > 0),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map((call, i) => this.#toolCall(call, i)) }),
    };
  }

  /** Servers that reason between calls expect their reasoning back; the strict ones even an empty field. */
  #reasoningBack(hasCalls: boolean): Record<string, unknown> {
    if (this.#details.length > 0) return { reasoning_details: this.#details };
    const field = this.#history.model.reasoningBack;
    if (field === undefined || !hasCalls) return {};
    const text = this.#raw.join("\n\n");
    return text === "" && field !== "reasoning_content" ? {} : { [field]: text };
  }

  #toolCall(call: Call, index: number): Record<string, unknown> {
    const { name, args } = this.#history.flat.callOut(call);
    const extra = unseal("chat", call.sealed)?.["extra_content"] ?? (index === 0 ? this.#geminiMark() : undefined);
    return {
      id: this.#callId(call.callId),
      type: "function",
      function: { name, arguments: args },
      ...(isRecord(extra) ? { extra_content: extra } : {}),
    };
  }

  /** Gemini 3 refuses calls without its signature; calls from another model carry this value instead. */
  #geminiMark(): unknown {
    return /^gemini-[3-9]/.test(this.#history.request.model)
      ? { google: { thought_signature: "skip_thought_signature_validator" } }
      : undefined;
  }

  #flushUser(): void {
    const parts = [...this.#results, ...this.#shown, ...this.#user];
    this.#results = [];
    this.#shown = [];
    this.#user = [];
    if (parts.length > 0) this.#messages.push({ role: "user", content: this.#content(parts) });
  }

  /** Plain text where there is nothing else: not every server accepts a list of parts. */
  #content(parts: readonly Part[]): unknown {
    const sent = parts.map((part) => this.#sendable(part));
    return sent.every((part) => part.kind === "text") ? textOf(sent) : sent.map(contentPart);
  }

  /** The part, or a note where this model or its provider does not accept it. */
  #sendable(part: Part): Part {
    const { lacks, model } = this.#history;
    if (part.kind === "text") return part;
    if (part.kind === "pdf") {
      if (model.supportsPdf && !lacks.has("pdf")) return part;
      this.#warn("This model does not read PDFs; those of this thread were left out.");
      return { kind: "text", text: noPdf };
    }
    if (lacks.has("images")) {
      this.#warn(imagesLeftOut);
      return { kind: "text", text: noImage };
    }
    const why = tooLarge(part.url, model.imageLimits);
    if (why === undefined) return part;
    this.#warn(`An image was left out: ${why}.`);
    return { kind: "text", text: `[An image was here, but was not sent: ${why}. Make it smaller to see it.]` };
  }

  #warn(message: string): void {
    if (!this.#history.warnings.includes(message)) this.#history.warnings.push(message);
  }
}

function contentPart(part: Part): unknown {
  if (part.kind === "text") return { type: "text", text: part.text };
  if (part.kind === "pdf") return { type: "file", file: { filename: "document.pdf", file_data: part.url } };
  return { type: "image_url", image_url: { url: part.url, ...(isDetail(part.detail) ? { detail: part.detail } : {}) } };
}

const shownHead = (parts: readonly Part[]): string =>
  parts.some((part) => part.kind === "pdf") ? "Files from the tool's result:" : "Images from the tool's result:";

const holdsCall = (message: Message, id: unknown): boolean => listOf(message["tool_calls"]).some((call) => recordOf(call)["id"] === id);

/** Nine letters or digits; the same for the same call in every request, so that the cached prefix stays valid. */
function shortId(callId: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(callId)) return callId;
  const digest = createHash("sha1").update(callId).digest();
  return [...digest.subarray(0, 9)].map((byte) => letters[byte % letters.length]).join("");
}
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

const isDetail = (detail: string | undefined): boolean => detail === "low" || detail === "high" || detail === "auto";
const textOf = (parts: readonly Part[]): string => parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n");
