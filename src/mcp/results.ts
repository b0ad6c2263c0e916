/** Results of MCP tools: truncated before they are stored, shown or sent to the model. */
import type { CallToolResult } from "@modelcontextprotocol/client";
import type { ToolContent, ToolOutput } from "../core/ports/tool.ts";

/** A server must not fill the context window, the thread's file or the memory. */
export const maxResultCharacters = 1024 * 1024;
/** Images are larger than text; their bytes are only forwarded. */
const maxPictureCharacters = 8 * 1024 * 1024;
const maxParts = 256;
const pictureTypes = /^image\/(?:png|jpeg|gif|webp)$/;

type Part = CallToolResult["content"][number];

export function bounded(result: CallToolResult): CallToolResult {
  let text = maxResultCharacters;
  let pictures = maxPictureCharacters;
  const content = result.content.slice(0, maxParts).map((part): Part => {
    const size = sizeOf(part);
    if (part.type === "image" && size <= pictures) {
      pictures -= size;
      return part;
    }
    if (part.type !== "image" && size <= text) {
      text -= size;
      return part;
    }
    if (part.type !== "text") return { type: "text", text: `[${part.type} of ${size} characters was left out: the result is too large]` };
    const head = part.text.slice(0, text);
    text = 0;
    return { type: "text", text: `${head}\n[the rest of the result was cut]` };
  });
  const left = result.content.length - content.length;
  if (left > 0) content.push({ type: "text", text: `[${left} more parts were left out]` });
  const structured = result.structuredContent;
  return {
    content,
    ...(result.isError === true ? { isError: true } : {}),
    ...(structured !== undefined && sizeOf(structured) <= text ? { structuredContent: structured } : {}),
    ...(result._meta !== undefined && sizeOf(result._meta) <= 64 * 1024 ? { _meta: result._meta } : {}),
  };
}

/** A value that cannot be serialized counts as infinitely large. */
function sizeOf(value: unknown): number {
  try {
    return JSON.stringify(value)?.length ?? 0;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

export function outputFrom(result: CallToolResult): ToolOutput {
  const success = result.isError !== true;
  if (result.structuredContent !== undefined) return { kind: "text", text: JSON.stringify(result.structuredContent), success };
  const content = result.content.map((part): ToolContent => {
    if (part.type === "text") return { type: "input_text", text: part.text };
    if (part.type === "image" && pictureTypes.test(part.mimeType))
      return { type: "input_image", image_url: `data:${part.mimeType};base64,${part.data}` };
    return { type: "input_text", text: JSON.stringify(part) };
  });
  const only = content.length === 1 ? content[0] : undefined;
  return only?.type === "input_text" ? { kind: "text", text: only.text, success } : { kind: "content", content, success };
}
