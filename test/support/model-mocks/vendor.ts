/** A provider on loopback that refuses what vendors refuse, counts tokens, and otherwise replies as the test scripts it. */
import { anthropicFrames, chatFrames, type MockReply, responsesFrames } from "./frames.ts";
import { type Answer, MockProvider, refuse, type SeenRequest, stream } from "./server.ts";

export type VendorWire = "responses" | "chat" | "anthropic";

export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly code?: string;
}
export type Wish = MockReply | Refusal;

export interface VendorRules {
  readonly wire: VendorWire;
  /** Longer requests are refused with the vendor's own error message. */
  readonly window?: number;
  /** Awaited before the model answers. */
  readonly before?: (request: SeenRequest) => Promise<void>;
  /** What the model answers; `n` counts the requests that reached it, from 1. */
  readonly think: (request: SeenRequest, n: number) => Wish;
}

const frames = { responses: responsesFrames, chat: chatFrames, anthropic: anthropicFrames };
export const paths = { responses: "/v1/responses", chat: "/v1/chat/completions", anthropic: "/v1/messages" };

export class Vendor {
  readonly #mock: MockProvider;
  readonly #rules: VendorRules;
  #reached = 0;

  constructor(rules: VendorRules) {
    this.#rules = rules;
    const answer: Answer = async (response, request) => {
      if (request.method === "GET") return refuse(200, { data: [] })(response, request);
      await rules.before?.(request);
      return await this.#answer(request)(response, request);
    };
    this.#mock = new MockProvider(answer);
  }

  /** Every request to the model, refused ones too. */
  get requests(): readonly SeenRequest[] {
    return this.#mock.requests.filter(({ method }) => method === "POST");
  }
  /** Lines for config.toml; the provider's id is `mock` unless the test needs one of the known ones. */
  async config(more = "", id = "mock"): Promise<string> {
    const url = await this.#mock.listen();
    return `[model_providers.${id}]\nname = "mock"\nbase_url = "${url}/v1"\nwire_api = "${this.#rules.wire}"\n${more}`;
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#mock[Symbol.asyncDispose]();
  }

  #answer(request: SeenRequest): Answer {
    const { wire, window, think } = this.#rules;
    const tokens = tokensOf(request.body);
    const refused = ruleBroken(wire, request.body) ?? (window !== undefined && tokens > window ? tooLong(wire, tokens, window) : undefined);
    const wish = refused ?? think(request, ++this.#reached);
    if ("status" in wish) return refuse(wish.status, errorBody(wire, wish));
    const output = Math.ceil(JSON.stringify(wish).length / 4);
    return stream(frames[wire]({ usage: { input: tokens, cached: 0, output, reasoning: 0 }, ...wish }));
  }
}

const imageData = /"(?:data:image\/[^"]*|[A-Za-z0-9+/=]{2000,})"/g;

/** About four characters per token, and a fixed number of tokens per picture. */
export function tokensOf(body: unknown): number {
  const text = JSON.stringify(body);
  return Math.ceil(text.replace(imageData, "").length / 4) + (text.match(imageData)?.length ?? 0) * 1500;
}

function tooLong(wire: VendorWire, tokens: number, window: number): Refusal {
  if (wire === "anthropic") return { status: 400, message: `prompt is too long: ${tokens} tokens > ${window} maximum` };
  const message = `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens.`;
  return { status: 400, message, code: "context_length_exceeded" };
}

function errorBody(wire: VendorWire, { message, code = "invalid_request_error" }: Refusal): unknown {
  return wire === "anthropic" ? { type: "error", error: { type: "invalid_request_error", message } } : { error: { message, code } };
}

// biome-ignore lint/suspicious/noExplicitAny: request bodies, for rules to inspect
type Body = any;

/** Rules taken from vendors' documentation and public reports. */
function ruleBroken(wire: VendorWire, body: Body): Refusal | undefined {
  const tools: Body[] = body.tools ?? [];
  if (wire === "anthropic") {
    const blocks: Body[] = body.messages.flatMap((message: Body) => message.content);
    if (tools.length === 0 && blocks.some(({ type }) => type === "tool_use" || type === "tool_result"))
      return { status: 400, message: "Requests which include `tool_use` or `tool_result` blocks must define tools." };
    const odd = tools.findIndex(({ input_schema: schema }) => schema?.oneOf ?? schema?.anyOf ?? schema?.allOf);
    if (odd !== -1)
      return {
        status: 400,
        message: `tools.${odd}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`,
      };
  }
  const longest = Math.max(0, ...(JSON.stringify(body).match(imageData) ?? []).map((data) => data.length));
  if (longest > 5 * 1024 * 1024 * 1.34)
    return {
      status: 400,
      message: `messages.1.content.0.image.source.base64: image exceeds 5 MB maximum: ${longest} bytes > 5242880 bytes`,
    };
  return undefined;
}

/** How much of the previous request is a prefix of this one, in the units of the vendor's cache: tools and system, then messages. */
export function sharedPrefix(before: SeenRequest, after: SeenRequest): number {
  const parts = [before, after].map(({ body }: { body: Body }) => [
    JSON.stringify([body.tools, body.system, body.instructions]),
    ...(body.messages ?? body.input).flatMap((message: Body) =>
      Array.isArray(message.content)
        ? message.content.map((part: Body) => JSON.stringify({ ...part, cache_control: undefined }))
        : [JSON.stringify(message)],
    ),
  ]);
  const [old = [], fresh = []] = parts;
  const length = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + text.length, 0);
  const differs = old.findIndex((text, i) => text !== fresh[i]);
  return differs === -1 ? 1 : length(old.slice(0, differs)) / length(old);
}
