/** A provider whose answers depend on what its agent was asked: one part for each task, so that parent and agents can run at the same time. */
import { type MockReply, responsesFrames } from "../../support/model-mocks/frames.ts";
import { MockProvider, type SeenRequest, stream } from "../../support/model-mocks/server.ts";

export interface Seen {
  readonly body: Record<string, unknown>;
  /** The input items as JSON, for matching. */
  readonly text: string;
  /** Results of the calls since the task, oldest first. */
  readonly outputs: readonly string[];
  /** Names of the offered tools. */
  readonly tools: readonly string[];
}
type Reply = MockReply | ((seen: Seen) => MockReply | Promise<MockReply>);

/** Answers to a task whose text contains the key: the first reply, then one for each call made since; the last is repeated. */
export type Parts = Readonly<Record<string, readonly Reply[]>>;

interface Item {
  readonly type?: string;
  readonly role?: string;
  readonly content?: readonly { readonly text?: string }[];
  readonly output?: unknown;
}

let calls = 0;
/** A reply that calls one tool. */
export const call = (name: string, args: object): MockReply => ({
  calls: [{ id: `call_${++calls}`, name, args: JSON.stringify(args) }],
});
export const say = (text: string): MockReply => ({ text });

export class Cast {
  readonly #mock: MockProvider;
  readonly seen: (Seen & { readonly part: string })[] = [];

  constructor(parts: Parts) {
    this.#mock = new MockProvider(async (response, request) => {
      const { part, seen, at } = sceneOf(request, Object.keys(parts));
      this.seen.push({ ...seen, part });
      const replies = parts[part] ?? [say(`no part for ${part}`)];
      const reply = replies[Math.min(at, replies.length - 1)] ?? say("");
      await stream(responsesFrames(typeof reply === "function" ? await reply(seen) : reply))(response, request);
    });
  }

  /** The requests about a task. */
  of(part: string): readonly Seen[] {
    return this.seen.filter((seen) => seen.part === part);
  }
  /** Lines for config.toml; the provider is `mock`. */
  async config(): Promise<string> {
    const url = await this.#mock.listen();
    return `[model_providers.mock]\nname = "mock"\nbase_url = "${url}/v1"\nwire_api = "responses"\nsupports_websockets = false\nrequest_max_retries = 0\nstream_max_retries = 0\n`;
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#mock[Symbol.asyncDispose]();
  }
}

function sceneOf({ body }: SeenRequest, keys: readonly string[]): { part: string; seen: Seen; at: number } {
  const input = (Array.isArray(body["input"]) ? body["input"] : []) as readonly Item[];
  const textOf = (item: Item): string => (item.content ?? []).map((part) => part.text ?? "").join("\n");
  const keyOf = (item: Item): string | undefined =>
    item.role === "user" && !/^\s*[<#]/.test(textOf(item)) ? keys.find((key) => textOf(item).includes(key)) : undefined;
  const asked = input.findLastIndex((item) => keyOf(item) !== undefined);
  const since = input.slice(asked + 1);
  const outputs = since.flatMap((item) =>
    item.type?.endsWith("_call_output") ? [typeof item.output === "string" ? item.output : JSON.stringify(item.output)] : [],
  );
  const at = since.filter((item) => item.type === "function_call" || (item.type === "message" && item.role === "assistant")).length;
  const tools = (Array.isArray(body["tools"]) ? body["tools"] : []).map((tool: { name?: string }) => tool.name ?? "");
  const asking = input[asked];
  return { part: asking === undefined ? "" : (keyOf(asking) ?? ""), seen: { body, text: JSON.stringify(input), outputs, tools }, at };
}
