/**
 * Converts history between wires. Threads store Responses items; wires with other message formats read them through `transcriptFromItems`,
 * so a thread begun with one provider continues with another. What cannot be converted is left out and reported.
 */
import type { ModelItem } from "../core/ports/model-client.ts";
import { isRecord, type Json, parseJson } from "./json.ts";
import { isPdf } from "./pictures.ts";

export type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly url: string; readonly detail: string | undefined }
  /** Always a data URL. */
  | { readonly kind: "pdf"; readonly url: string };

export type Call = {
  readonly kind: "call";
  readonly callId: string;
  readonly name: string;
  readonly namespace: string | undefined;
  /** Free text instead of JSON arguments. */
  readonly custom: boolean;
  readonly input: string;
  /** Data that the provider expects back with the call; see `seal`. */
  readonly sealed: string | undefined;
};

export type Entry =
  | { readonly kind: "developer"; readonly text: string }
  | { readonly kind: "user"; readonly parts: readonly Part[] }
  | { readonly kind: "assistant"; readonly text: string }
  | { readonly kind: "reasoning"; readonly summary: string; readonly content: string; readonly sealed: string | undefined }
  | Call
  /** A hosted tool call with its result; useful only to that provider. */
  | { readonly kind: "hosted"; readonly sealed: string }
  | { readonly kind: "result"; readonly callId: string; readonly parts: readonly Part[]; readonly isError: boolean };

/** A placeholder for content that only another provider, or another account, can read. */
export const sealedSummary =
  "[Here stood a summary of the earlier conversation that cannot be read any more. Check the files and their history before you rely on earlier work.]";

type SealingWire = "anthropic" | "chat" | "ai-sdk";
const mark = "parley:";

/** Packs data that a wire expects back with its own items (signatures) into `encrypted_content`, in a form that other wires recognize. */
export const seal = (wire: SealingWire, value: Json): string => `${mark}${wire}:${JSON.stringify(value)}`;
export const isSealed = (value: unknown): boolean => typeof value === "string" && value.startsWith(mark);
export function unseal(wire: SealingWire, value: string | undefined): Json | undefined {
  const head = `${mark}${wire}:`;
  if (value === undefined || !value.startsWith(head)) return undefined;
  const parsed = parseJson(value.slice(head.length));
  return isRecord(parsed) ? parsed : undefined;
}

export function transcriptFromItems(items: readonly ModelItem[], warnings: string[]): Entry[] {
  const lost = new Map<string, number>();
  const drop = (what: string): void => void lost.set(what, (lost.get(what) ?? 0) + 1);
  const entries = items.flatMap((item) => entryFromItem(item, drop));
  for (const [what, count] of lost)
    warnings.push(`This model's API cannot carry ${count === 1 ? `an earlier ${what}` : `${count} earlier ${what}s`}; left out.`);
  return paired(entries);
}

function entryFromItem(item: ModelItem, drop: (what: string) => void): Entry[] {
  switch (item.type) {
    case "message":
      return messageEntries(item.role, item.content, drop);
    case "agent_message": {
      const text = item.content.flatMap((part) => (part.type === "input_text" ? [part.text] : [])).join("\n");
      return [{ kind: "user", parts: [{ kind: "text", text: `Message from ${item.author} to ${item.recipient}:\n${text}` }] }];
    }
    case "reasoning":
      return [
        {
          kind: "reasoning",
          summary: item.summary.map((part) => part.text).join("\n\n"),
          content: (item.content ?? []).map((part) => part.text).join("\n\n"),
          sealed: item.encrypted_content ?? undefined,
        },
      ];
    case "function_call":
    case "custom_tool_call":
      return [callEntry(item)];
    case "local_shell_call": {
      const callId = item.call_id ?? item.id ?? "";
      const input = JSON.stringify({ command: item.action.command, workdir: item.action.working_directory ?? undefined });
      return [{ kind: "call", callId, name: "shell", namespace: undefined, custom: false, input, sealed: undefined }];
    }
    case "function_call_output":
    case "custom_tool_call_output":
      return [resultEntry(item.call_id ?? "", outputParts(item.output, drop))];
    case "image_generation_call":
      return [
        { kind: "user", parts: [textPart("An image that was generated earlier:"), imagePart(`data:image/png;base64,${item.result}`)] },
      ];
    case "web_search_call":
      if (isSealed(item.encrypted_content)) return [{ kind: "hosted", sealed: item.encrypted_content ?? "" }];
      drop("web search record");
      return [];
    case "tool_search_call":
    case "tool_search_output":
    case "additional_tools":
      drop("tool search record");
      return [];
    case "compaction":
    case "context_compaction":
      drop("sealed summary");
      return [{ kind: "user", parts: [textPart(sealedSummary)] }];
    case "configuration_update":
    case "compaction_trigger":
    case "other":
      return [];
  }
}

export function callEntry(item: Extract<ModelItem, { type: "function_call" | "custom_tool_call" }>): Call {
  return {
    kind: "call",
    callId: item.call_id,
    name: item.name,
    namespace: item.namespace ?? undefined,
    custom: item.type === "custom_tool_call",
    input: item.type === "custom_tool_call" ? item.input : item.arguments,
    sealed: item.encrypted_content ?? undefined,
  };
}

type Content = Extract<ModelItem, { type: "message" }>["content"];
type Output = Extract<ModelItem, { type: "function_call_output" }>["output"];

function messageEntries(role: string, content: Content, drop: (what: string) => void): Entry[] {
  const parts = content.flatMap((part) => partFromContent(part, drop));
  const text = parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n");
  if (role === "assistant") return text === "" ? [] : [{ kind: "assistant", text }];
  if (role === "developer" || role === "system") return text === "" ? [] : [{ kind: "developer", text }];
  return parts.length === 0 ? [] : [{ kind: "user", parts }];
}

function outputParts(output: Output, drop: (what: string) => void): Part[] {
  return typeof output === "string" ? [textPart(output)] : output.flatMap((part) => partFromContent(part, drop));
}

function partFromContent(part: Content[number] | Exclude<Output, string>[number], drop: (what: string) => void): Part[] {
  switch (part.type) {
    case "input_text":
    case "output_text":
      return part.text === "" ? [] : [textPart(part.text)];
    case "input_image":
      if ("image_url" in part)
        return [isPdf(part.image_url) ? { kind: "pdf", url: part.image_url } : imagePart(part.image_url, part.detail ?? undefined)];
      drop("image that only its own provider holds");
      return [];
    case "input_audio":
      drop("sound recording");
      return [];
    case "encrypted_content":
      drop("encrypted tool result");
      return [];
  }
}

/**
 * Whether a tool's result is a failure. Threads keep only a result's text, so the text decides: the exit code that every command's
 * result begins with, or the beginning of our own refusals.
 */
function resultEntry(callId: string, parts: readonly Part[]): Entry & { kind: "result" } {
  const first = parts.find((part) => part.kind === "text")?.text ?? "";
  return { kind: "result", callId, parts, isError: isFailure(first) };
}
const exitCode = /(?:^|\n)(?:Exit code:|Process exited with code) (-?\d+)/;
const refusalHead =
  /^(?:failed to |unable to |unsupported call|unknown |error: |[\w ]{1,40} (?:failed|rejected|refused|is unavailable)\b)/i;
function isFailure(text: string): boolean {
  const head = text.slice(0, 400);
  const code = exitCode.exec(head)?.[1] ?? /"exit_code":\s*(-?\d+)/.exec(text.startsWith("{") ? text.slice(-200) : "")?.[1];
  return code === undefined ? refusalHead.test(head) : code !== "0";
}

const textPart = (text: string): Part => ({ kind: "text", text });
const imagePart = (url: string, detail?: string): Part => ({ kind: "image", url, detail });

/**
 * Every call directly followed by its result, as the other wires require: all results after the whole model answer with the calls,
 * one for each call, none without a call.
 */
function paired(entries: readonly Entry[]): Entry[] {
  const results = new Map<string, Entry & { kind: "result" }>();
  const called = new Set<string>();
  for (const entry of entries) {
    if (entry.kind === "result" && !results.has(entry.callId)) results.set(entry.callId, entry);
    if (entry.kind === "call") called.add(entry.callId);
  }
  const out: Entry[] = [];
  let open: Call[] = [];
  const close = (): void => {
    for (const call of open) out.push(results.get(call.callId) ?? resultEntry(call.callId, [textPart("aborted")]));
    open = [];
  };
  for (const entry of entries) {
    if (entry.kind === "result") {
      close();
      if (!called.has(entry.callId)) out.push({ kind: "user", parts: [textPart("Output of an earlier tool call:"), ...entry.parts] });
      continue;
    }
    if (entry.kind === "user" || entry.kind === "developer") close();
    if (entry.kind === "call") open.push(entry);
    out.push(entry);
  }
  close();
  return out;
}

export const noImage = "[An image was here; this model cannot see images.]";
export const noPdf = "[A PDF was here; this model cannot read PDFs. Its text can be had with a command such as pdftotext.]";

/** The same history with a note in place of each image. */
export function withoutImages(items: readonly ModelItem[], warnings: string[]): readonly ModelItem[] {
  let found = false;
  const note = <T extends { readonly type: string }>(part: T): T | { type: "input_text"; text: string } => {
    if (part.type !== "input_image") return part;
    found = true;
    const isFile = "image_url" in part && typeof part.image_url === "string" && isPdf(part.image_url);
    return { type: "input_text", text: isFile ? noPdf : noImage };
  };
  const changed = items.map((item): ModelItem => {
    if (item.type === "message" && item.content.some((part) => part.type === "input_image"))
      return { ...item, content: item.content.map(note) };
    if (item.type === "function_call_output" || item.type === "custom_tool_call_output") {
      const { output } = item;
      if (typeof output !== "string" && output.some((part) => part.type === "input_image")) return { ...item, output: output.map(note) };
    }
    return item;
  });
  if (found) warnings.push(imagesLeftOut);
  return found ? changed : items;
}

export const imagesLeftOut = "This model does not take images; the images of this thread were left out.";
export const foreignReasoning = "Earlier reasoning of another provider's model cannot be shown to this one and was left out.";
/** Developer messages on wires without that role. */
export const developerText = (text: string): string => `<developer_instructions>\n${text}\n</developer_instructions>`;
