/** Writes a thread's history as Chat Completions messages. */
import type { ModelRequest } from "../core/ports/model-client.ts";
import type { CatalogEntry } from "./catalog.ts";
import { type Call, developerText, type Entry, foreignReasoning, imagesLeftOut, noImage, type Part, unseal } from "./convert.ts";
import { isRecord, listOf } from "./json.ts";
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
  const firstTalk = entries.findIndex((entry) => entry.kind !== "developer");
  const lead = firstTalk < 0 ? entries.length : firstTalk;
  const writer = new MessageWriter(history);
  for (const entry of entries.slice(lead)) writer.add(entry);
  const system = systemText(history, entries.slice(0, lead));
  return [...(system === "" ? [] : [{ role: "system", content: system }]), ...writer.finish()];
}

/** One system message at the start: many chat templates know no other place for it. */
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
  /** Images that tools returned; tool messages hold text only, so they follow as the user's. */
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
    const images = parts.filter((part) => part.kind === "image");
    if (this.#history.lacks.has("tools")) this.#results.push({ kind: "text", text: resultAsText(callId, text) });
    else this.#messages.push({ role: "tool", tool_call_id: callId, content: text });
    if (images.length > 0) this.#shown.push({ kind: "text", text: "Images from the tool's result:" }, ...images);
  }

  #flushAssistant(): void {
    const text = this.#text.join("\n\n");
    const calls = this.#calls;
    if (text !== "" || calls.length > 0) this.#messages.push(this.#assistant(text, calls));
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

  /** Servers that reason between calls want their thoughts back; the strict ones even an empty field. */
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
    return { id: call.callId, type: "function", function: { name, arguments: args }, ...(isRecord(extra) ? { extra_content: extra } : {}) };
  }

  /** Gemini 3 refuses calls without its signature; calls that another model made carry this word instead. */
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

  /** Plain text where there is nothing else: not every server takes a list of parts. */
  #content(parts: readonly Part[]): unknown {
    const hasImages = parts.some((part) => part.kind === "image");
    if (hasImages && this.#history.lacks.has("images")) {
      this.#warn(imagesLeftOut);
      return textOf(parts.map((part) => (part.kind === "image" ? { kind: "text", text: noImage } : part)));
    }
    if (!hasImages) return textOf(parts);
    return parts.map((part) =>
      part.kind === "text"
        ? { type: "text", text: part.text }
        : { type: "image_url", image_url: { url: part.url, ...(isDetail(part.detail) ? { detail: part.detail } : {}) } },
    );
  }

  #warn(message: string): void {
    if (!this.#history.warnings.includes(message)) this.#history.warnings.push(message);
  }
}

const isDetail = (detail: string | undefined): boolean => detail === "low" || detail === "high" || detail === "auto";
const textOf = (parts: readonly Part[]): string => parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n");
