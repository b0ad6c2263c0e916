/** Estimates token counts before a provider has counted them, and shortens texts to a token budget. */
import { dataUrlHead, imageSize } from "../../lib/image-size.ts";
import type { ModelItem } from "../ports/model-client.ts";

/** A rule of thumb for text. */
const charactersPerToken = 4;

/** Providers charge an image by its pixels, about one token for 750 of them, and scale larger ones down. Its file size does not matter. */
const pixelsPerToken = 750;
const unknownImageTokens = 1500;
const maxImageTokens = 5000;
/** Finds a JPEG's size after its metadata. */
const imageHeadBytes = 128 * 1024;

export const estimateTextTokens = (text: string): number => Math.ceil(text.length / charactersPerToken);

export function estimateTokens(item: ModelItem | undefined): number {
  if (item === undefined) return 0;
  if (item.type === "message") return item.content.reduce((sum, part) => sum + partTokens(part), 4);
  if (item.type === "function_call_output" || item.type === "custom_tool_call_output")
    return typeof item.output === "string"
      ? estimateTextTokens(item.output) + 8
      : item.output.reduce((sum, part) => sum + partTokens(part), 8);
  return estimateTextTokens(JSON.stringify(item));
}

type Part = Extract<ModelItem, { type: "message" }>["content"][number] | Exclude<OutputBody, string>[number];
type OutputBody = Extract<ModelItem, { type: "function_call_output" }>["output"];

function partTokens(part: Part): number {
  if (part.type === "input_image") return "image_url" in part ? imageTokens(part.image_url) : unknownImageTokens;
  if ("text" in part && typeof part.text === "string") return estimateTextTokens(part.text);
  return estimateTextTokens(JSON.stringify(part));
}

function imageTokens(url: string): number {
  const head = dataUrlHead(url, imageHeadBytes);
  const size = head === undefined ? undefined : imageSize(head);
  if (size === undefined) return unknownImageTokens;
  return Math.min(maxImageTokens, Math.max(100, Math.ceil((size.width * size.height) / pixelsPerToken)));
}

/** The marker for the model where a text was cut. */
export type CutMark = (removedTokens: number) => string;

const plainMark: CutMark = (removed) => `…${removed} tokens truncated…`;

/** Keeps the head and the tail of a long text within a token budget, and says how much is missing in between. */
export function truncateMiddle(text: string, maxTokens: number, mark: CutMark = plainMark): string {
  const budget = maxTokens * charactersPerToken;
  if (text.length <= budget) return text;
  const half = Math.floor(budget / 2);
  const head = cutAtLine(text.slice(0, half), "end");
  const tail = cutAtLine(text.slice(text.length - half), "start");
  return `${head}${mark(Math.ceil((text.length - head.length - tail.length) / charactersPerToken))}${tail}`;
}

/** Prefers a nearby line break, and never splits a surrogate pair. */
function cutAtLine(text: string, side: "start" | "end"): string {
  if (side === "end") {
    const border = text.lastIndexOf("\n");
    if (border > text.length * 0.8) return text.slice(0, border + 1);
    return isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.slice(0, -1) : text;
  }
  const border = text.indexOf("\n");
  if (border !== -1 && border < text.length * 0.2) return text.slice(border + 1);
  return isLowSurrogate(text.charCodeAt(0)) ? text.slice(1) : text;
}
const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
