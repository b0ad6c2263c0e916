/** Items as the Responses wire expects them: without fields that it sends but does not accept back, with files for PDFs. */
import type { ModelItem, ModelRequest, ToolSpec } from "../core/ports/model-client.ts";
import { callEntry, isSealed, noPdf } from "./convert.ts";
import { isPdf } from "./pictures.ts";
import { flattenTools } from "./tools.ts";
import type { Lacks } from "./wire.ts";

/** Whether an item is sent at all. Other providers' reasoning, and reasoning without its encrypted form, is useless to the provider. */
export function isSent(item: ModelItem, lacks: Lacks): boolean {
  if (item.type === "other" || (item.type === "web_search_call" && isSealed(item.encrypted_content))) return false;
  if (item.type !== "reasoning") return true;
  return typeof item.encrypted_content === "string" && !isSealed(item.encrypted_content) && !lacks.has("encryptedReasoning");
}

/** Whether an item is sent alike to every model and provider: texts, calls and their outputs, without pictures. */
export const isPlain = (item: ModelItem): boolean => plainTypes.has(item.type) && !partsOf(item).some(isPicture);
const plainTypes = new Set(["message", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output"]);
const isPicture = (part: { readonly type: string }): boolean => part.type === "input_image" || "image_url" in part;

/**
 * Leaves out fields that a provider sends but does not accept back: ids (with store:false they refer to nothing, and those of another wire are
 * refused), statuses of finished items, our own turn markers, raw reasoning and sealed data of other wires.
 */
export function wireItem(item: ModelItem): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(item)) {
    if (value === null || value === undefined || key === "internal_chat_message_metadata_passthrough") continue;
    if (key === "id" && item.type !== "image_generation_call") continue;
    if (key === "status" && finished.has(item.type)) continue;
    if (key === "content" && item.type === "reasoning") continue;
    if (key === "encrypted_content" && isSealed(value)) continue;
    kept[key] = value;
  }
  return kept;
}
const finished = new Set(["message", "reasoning", "function_call", "custom_tool_call"]);

/** PDFs are stored as images in a thread; here they are files. */
export function withFiles(items: readonly ModelItem[], areTaken: boolean, warnings: string[]): readonly ModelItem[] {
  const hasFile = (item: ModelItem): boolean => partsOf(item).some((part) => "image_url" in part && isPdf(part.image_url));
  if (!items.some(hasFile)) return items;
  if (!areTaken) warnings.push("This model does not read PDFs; those of this thread were left out.");
  const file = <T extends { readonly type: string }>(part: T): T => {
    if (!("image_url" in part) || typeof part.image_url !== "string" || !isPdf(part.image_url)) return part;
    const sent = areTaken
      ? { type: "input_file", filename: "document.pdf", file_data: part.image_url }
      : { type: "input_text", text: noPdf };
    return sent as unknown as T; // the wire's own form, which threads do not store
  };
  return items.map((item): ModelItem => {
    if (!hasFile(item)) return item;
    if (item.type === "message") return { ...item, content: item.content.map(file) };
    return "output" in item && typeof item.output !== "string" ? { ...item, output: item.output.map(file) } : item;
  });
}

const partsOf = (item: ModelItem): readonly ({ readonly type: string } | { readonly type: string; readonly image_url: string })[] =>
  item.type === "message" ? item.content : "output" in item && typeof item.output !== "string" ? item.output : [];

/** For servers that support only plain functions on this wire: the same request without free-form tools and namespaces. */
export function plainRequest(request: ModelRequest): { readonly request: ModelRequest; readonly callIn: (item: ModelItem) => ModelItem } {
  const flat = flattenTools(request.tools);
  const tools = flat.tools.map((tool): ToolSpec => ({ type: "function", ...tool }));
  const input = request.input.map((item): ModelItem => {
    if (item.type === "custom_tool_call_output") return { ...item, type: "function_call_output" };
    if (item.type !== "custom_tool_call" && !(item.type === "function_call" && typeof item.namespace === "string")) return item;
    const { name, args } = flat.callOut(callEntry(item));
    return { type: "function_call", call_id: item.call_id, name, arguments: args };
  });
  const callIn = (item: ModelItem): ModelItem =>
    item.type === "function_call"
      ? { ...flat.callIn({ callId: item.call_id, name: item.name, args: item.arguments }), ...(item.id == null ? {} : { id: item.id }) }
      : item;
  return { request: { ...request, tools, input }, callIn };
}
