/** Tools that the client brings along. Called by core on behalf of the model. */
import { array, boolean, type Infer, literals, maybe, named, object, optional, parse, string, union, unknown } from "../lib/schema.ts";
import { request } from "./define.ts";
import { DynamicToolCallOutputContentItem } from "./item.ts";
import { contentItems } from "./spellings.ts";

export const DynamicToolSpec = named("DynamicToolSpec", () =>
  union([
    object({
      type: literals("function"),
      description: string(),
      inputSchema: unknown(),
      name: string(),
      deferLoading: optional(boolean()),
    }),
    object({ type: literals("namespace"), description: string(), name: string(), tools: array(DynamicToolNamespaceTool()) }),
  ]),
);
export type DynamicToolSpec = Infer<typeof DynamicToolSpec>;

export const DynamicToolNamespaceTool = named("DynamicToolNamespaceTool", () =>
  object({ type: literals("function"), description: string(), inputSchema: unknown(), name: string(), deferLoading: optional(boolean()) }),
);
export type DynamicToolNamespaceTool = Infer<typeof DynamicToolNamespaceTool>;

export const DynamicToolCallParams = named("DynamicToolCallParams", () =>
  object({ arguments: unknown(), callId: string(), threadId: string(), tool: string(), turnId: string(), namespace: maybe(string()) }),
);
export type DynamicToolCallParams = Infer<typeof DynamicToolCallParams>;

export const DynamicToolCallResponse = named("DynamicToolCallResponse", () =>
  object({ contentItems: array(DynamicToolCallOutputContentItem()), success: boolean() }),
);
export type DynamicToolCallResponse = Infer<typeof DynamicToolCallResponse>;

/** What a client answered to `item/tool/call`, in any form in use: content items, one output text, or the bare text; undefined when unreadable. */
export function readDynamicToolAnswer(answer: unknown): DynamicToolCallResponse | undefined {
  if (typeof answer === "string") return { contentItems: [{ type: "inputText", text: answer }], success: true };
  const given = parse(DynamicToolAnswer, answer);
  if (given === undefined) return undefined;
  const content = given.contentItems ?? given.content_items ?? given.content ?? given.output;
  return parse(DynamicToolCallResponse, { contentItems: contentItems(content), success: given.success ?? true });
}

const DynamicToolAnswer = named("DynamicToolAnswer", () =>
  object({
    success: maybe(boolean()),
    contentItems: optional(unknown()),
    content_items: optional(unknown()),
    content: optional(unknown()),
    output: optional(unknown()),
  }),
);

export const dynamicToolServerRequests = {
  /** Has the client run one of the tools that it defined with `thread/start`. */
  "item/tool/call": request({ params: DynamicToolCallParams, result: DynamicToolCallResponse }),
};
