/** One answer of the model beside a thread. Implemented in server/thread-sample.ts. */
import { boolean, type Infer, integer, maybe, named, object, optional, record, string } from "../lib/schema.ts";
import { request } from "./define.ts";
import { limitMetadata } from "./limits.ts";
import { ReasoningEffort, ThreadSource } from "./policy.ts";
import { RequestId } from "./thread.ts";

export const ThreadSampleParams = named("ThreadSampleParams", () =>
  object({
    disableMcp: optional(boolean()),
    effort: maybe(ReasoningEffort()),
    expectedTurnId: string(),
    prompt: string(),
    responsesapiClientMetadata: maybe(record(string())),
    threadId: string(),
    threadSource: maybe(ThreadSource()),
    turnTrigger: maybe(string()),
  }),
);
export type ThreadSampleParams = Infer<typeof ThreadSampleParams>;

export const ThreadSampleResponse = named("ThreadSampleResponse", () =>
  object({
    cachedInputTokens: maybe(integer()),
    inputTokens: maybe(integer()),
    outputTokens: maybe(integer()),
    responseId: string(),
    sourceTurnId: string(),
    text: maybe(string()),
  }),
);
export type ThreadSampleResponse = Infer<typeof ThreadSampleResponse>;

export const ThreadSampleCancelParams = named("ThreadSampleCancelParams", () => object({ requestId: RequestId() }));
export type ThreadSampleCancelParams = Infer<typeof ThreadSampleCancelParams>;

export const ThreadSampleCancelResponse = named("ThreadSampleCancelResponse", () => object({}));
export type ThreadSampleCancelResponse = Infer<typeof ThreadSampleCancelResponse>;

export const threadSampleRequests = {
  /** Asks the model one question about a thread; nothing of it is stored or announced. */
  "thread/sample": request({
    params: ThreadSampleParams,
    result: ThreadSampleResponse,
    experimental: true,
    limits: limitMetadata,
    noEffect: {
      threadSource: "nothing of it is stored",
      turnTrigger: "nothing of it is stored",
    },
  }),
  /** Cancels a running `thread/sample` of this connection, by its request id. */
  "thread/sample/cancel": request({ params: ThreadSampleCancelParams, result: ThreadSampleCancelResponse, experimental: true }),
};
