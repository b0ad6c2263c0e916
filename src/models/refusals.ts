/** Finds the parts of a request that a refusal is about, so that it can be retried without them: one bad image or tool must not end a thread. */
import { createHash } from "node:crypto";
import type { ModelFailure, ModelItem, ModelRequest, ToolSpec } from "../core/ports/model-client.ts";

/** Parts that a provider refused, for the life of the process: they are in the history of every later request. */
export class RefusedParts {
  /** Digests of their data URLs. */
  readonly #images = new Set<string>();
  /** Names as requests have them. */
  readonly #tools = new Set<string>();

  /** Finds the refused part and remembers it; returns a message for the user, or undefined when no such part is named. */
  learn(failure: ModelFailure, request: ModelRequest, toolNames: readonly string[]): string | undefined {
    if (failure.kind !== "badRequest" && failure.httpStatus !== 413) return undefined;
    const text = `${failure.message} ${failure.details ?? ""}`;
    const tool = refusedTool(text, toolNames);
    if (tool !== undefined && !this.#tools.has(tool)) {
      bounded(this.#tools).add(tool);
      return `The provider refused the tool \`${tool}\`, which is left out from now on: ${failure.message}`;
    }
    if (!isAboutImage(text)) return undefined;
    const newest = request.input.toReversed().find((item) => imagesOf(item).some((url) => !this.#images.has(digest(url))));
    if (newest === undefined) return undefined;
    for (const url of imagesOf(newest)) bounded(this.#images).add(digest(url));
    return `The provider refused an image, which is left out from now on: ${failure.message}`;
  }

  /** The request without the parts that were refused before. */
  leftOut(request: ModelRequest): ModelRequest {
    const tools = this.#tools.size === 0 ? request.tools : request.tools.filter((tool) => !this.#tools.has(nameOf(tool)));
    const input = this.#images.size === 0 ? request.input : request.input.map((item) => this.#withoutImages(item));
    return tools === request.tools && input === request.input ? request : { ...request, tools, input };
  }

  #withoutImages(item: ModelItem): ModelItem {
    if (!imagesOf(item).some((url) => this.#images.has(digest(url)))) return item;
    const note = <T extends { readonly type: string }>(part: T): T | { type: "input_text"; text: string } =>
      part.type === "input_image" && "image_url" in part && this.#images.has(digest(String(part.image_url)))
        ? { type: "input_text", text: refusedImage }
        : part;
    if (item.type === "message") return { ...item, content: item.content.map(note) };
    if (item.type === "function_call_output" || item.type === "custom_tool_call_output")
      return typeof item.output === "string" ? item : { ...item, output: item.output.map(note) };
    return item;
  }
}

const refusedImage = "[An image was here; the provider refused it, so nobody has seen it.]";
/** More than any thread contains; a full cache starts over, which costs one more refusal each. */
const memoryLimit = 1000;

function bounded(set: Set<string>): Set<string> {
  if (set.size >= memoryLimit) set.clear();
  return set;
}

const nameOf = (tool: ToolSpec): string => ("name" in tool ? tool.name : tool.type);

function refusedTool(text: string, toolNames: readonly string[]): string | undefined {
  if (!/tool|function/i.test(text) || !/schema|parameters|invalid|not support|unsupported|must be/i.test(text)) return undefined;
  const named = /(?:function|tool)s? [`'"]([A-Za-z0-9_.-]{1,128})[`'"]/i.exec(text)?.[1];
  if (named !== undefined && toolNames.includes(named)) return named;
  const at =
    /function_declarations\[(\d+)\]/.exec(text)?.[1] ?? /\btools[.[](\d+)\]?[.:]/.exec(text)?.[1] ?? /\btools\[(\d+)\]/.exec(text)?.[1];
  return at === undefined ? undefined : toolNames[Number(at)];
}

const isAboutImage = (text: string): boolean =>
  /image|\bpdf\b|document|media[_ ]type/i.test(text) &&
  /could not process|exceed|too large|too big|invalid|corrupt|unsupported (?:image|format|media)|does not match|failed to (?:decode|process|parse|load|download)|dimension|cannot (?:identify|decode|process)|not a valid|maximum/i.test(
    text,
  );

function imagesOf(item: ModelItem): readonly string[] {
  const content = item.type === "message" ? item.content : "output" in item && typeof item.output !== "string" ? item.output : [];
  return content.flatMap((part) => (part.type === "input_image" && "image_url" in part ? [part.image_url] : []));
}

const digest = (url: string): string => createHash("sha256").update(url).digest("base64");
