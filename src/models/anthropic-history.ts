/** Writes a thread's history as Anthropic messages: blocks in alternating turns, every tool_use answered in the next message. */
import type { ImageLimits } from "../core/ports/model-client.ts";
import { developerText, type Entry, foreignReasoning, imagesLeftOut, noImage, noPdf, type Part, unseal } from "./convert.ts";
import { isRecord, type Json, parseJson, recordOf, stringOf } from "./json.ts";
import { dataUrlParts, pictureOf, tooLarge } from "./pictures.ts";
import type { FlatTools } from "./tools.ts";
import type { Lacks } from "./wire.ts";

export type Block = Record<string, unknown> & { readonly type: string };

export interface AnthropicHistory {
  /** Developer messages at the start, which become part of the system prompt. */
  readonly system: readonly string[];
  readonly messages: { role: "user" | "assistant"; content: Block[] }[];
  /** Whether thinking may be enabled: the open tool loop began with thinking, or none is open. */
  readonly canThink: boolean;
}

interface Source {
  readonly entries: readonly Entry[];
  readonly flat: FlatTools;
  readonly lacks: Lacks;
  readonly imageLimits: ImageLimits;
  readonly takesPdf: boolean;
  readonly warnings: string[];
}

export function anthropicMessages(source: Source): AnthropicHistory {
  const { entries } = source;
  const firstMessage = entries.findIndex((entry) => entry.kind !== "developer");
  const lead = firstMessage < 0 ? entries.length : firstMessage;
  const messages: AnthropicHistory["messages"] = [];
  const put = (role: "user" | "assistant", block: Block): void => {
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(block);
    else messages.push({ role, content: [block] });
  };
  for (const [i, entry] of entries.slice(lead).entries()) {
    // a hosted call without a result is refused, unless the answer continues with it
    if (entry.kind === "hosted" && lead + i < entries.length - 1 && unseal("anthropic", entry.sealed)?.["result"] === undefined) continue;
    const role =
      entry.kind === "assistant" || entry.kind === "reasoning" || entry.kind === "call" || entry.kind === "hosted" ? "assistant" : "user";
    for (const block of blocks(entry, source)) put(role, block);
  }
  const whole = messages.map((message) => ({ ...message, content: resultsFirst(message.content) }));
  // the conversation must begin with the user
  if (whole[0]?.role !== "user") whole.unshift({ role: "user", content: [{ type: "text", text: "(The conversation goes on.)" }] });
  return {
    system: entries.slice(0, lead).flatMap((entry) => (entry.kind === "developer" ? [entry.text] : [])),
    messages: whole,
    canThink: canThink(whole),
  };
}

function blocks(entry: Entry, source: Source): Block[] {
  switch (entry.kind) {
    case "developer":
      return [{ type: "text", text: developerText(entry.text) }];
    case "user":
      return entry.parts.flatMap((part) => partBlock(part, source));
    case "assistant":
      return [{ type: "text", text: entry.text }];
    case "reasoning":
      return thinkingBlock(entry, source);
    case "hosted":
      return hostedBlocks(entry.sealed);
    case "call": {
      const { name, args } = source.flat.callOut(entry);
      return [{ type: "tool_use", id: toolId(entry.callId), name, input: recordOf(parseJson(args)) }];
    }
    case "result": {
      const content = entry.parts.flatMap((part) => partBlock(part, source));
      return [
        {
          type: "tool_result",
          tool_use_id: toolId(entry.callId),
          content: content.length === 0 ? "(no output)" : content,
          ...(entry.isError ? { is_error: true } : {}),
        },
      ];
    }
  }
}

/** Hosted calls are sent back unchanged. */
function hostedBlocks(sealed: string): Block[] {
  const own = unseal("anthropic", sealed);
  return [own?.["use"], own?.["result"]].flatMap((block) =>
    isRecord(block) && typeof block["type"] === "string" ? [{ ...block, type: block["type"] }] : [],
  );
}

/** Thinking is sent back verbatim with its signature, or not at all. */
function thinkingBlock(entry: Extract<Entry, { kind: "reasoning" }>, source: Source): Block[] {
  const own = unseal("anthropic", entry.sealed);
  const signature = stringOf(own?.["signature"]);
  const redacted = stringOf(own?.["redacted"]);
  if (redacted !== undefined) return [{ type: "redacted_thinking", data: redacted }];
  if (signature !== undefined) return [{ type: "thinking", thinking: entry.summary, signature }];
  if (entry.sealed !== undefined || entry.content !== "") warn(source, foreignReasoning);
  return [];
}

function partBlock(part: Part, source: Source): Block[] {
  if (part.kind === "text") return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }];
  if (part.kind === "pdf") return [pdfBlock(part.url, source)];
  if (source.lacks.has("images")) {
    warn(source, imagesLeftOut);
    return [{ type: "text", text: noImage }];
  }
  const why = tooLarge(part.url, source.imageLimits);
  if (why !== undefined) {
    warn(source, `An image was left out: ${why}.`);
    return [{ type: "text", text: `[An image was here, but was not sent: ${why}. Make it smaller to see it.]` }];
  }
  return [{ type: "image", source: imageSource(part.url) }];
}

/** Images with the wrong media type are refused, so their bytes decide. */
function imageSource(url: string): Json {
  const data = dataUrlParts(url);
  if (data === undefined) return { type: "url", url };
  return { type: "base64", media_type: pictureOf(data.base64)?.mediaType ?? data.mediaType, data: data.base64 };
}

function pdfBlock(url: string, source: Source): Block {
  const data = dataUrlParts(url);
  if (source.takesPdf && !source.lacks.has("pdf") && data !== undefined)
    return { type: "document", source: { type: "base64", media_type: "application/pdf", data: data.base64 } };
  warn(source, "This model does not read PDFs; those of this thread were left out.");
  return { type: "text", text: noPdf };
}

/** Other vendors' call ids may contain characters that are refused here. */
const toolId = (callId: string): string => callId.replace(/[^a-zA-Z0-9_-]/g, "_") || "call";

/** The API requires the results of calls before anything else in their message. */
const resultsFirst = (content: readonly Block[]): Block[] => [
  ...content.filter((block) => block.type === "tool_result"),
  ...content.filter((block) => block.type !== "tool_result"),
];

function canThink(messages: AnthropicHistory["messages"]): boolean {
  const last = messages.at(-1);
  if (last?.role !== "user" || !last.content.some((block) => block.type === "tool_result")) return true;
  // back to where this tool loop began
  let start = messages.length - 2;
  while (start >= 2 && messages[start - 1]?.content.every((block) => block.type === "tool_result")) start -= 2;
  const first = messages[start]?.content[0]?.type;
  return first === "thinking" || first === "redacted_thinking";
}

function warn(source: Source, message: string): void {
  if (!source.warnings.includes(message)) source.warnings.push(message);
}
