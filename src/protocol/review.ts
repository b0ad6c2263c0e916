/** `review`. */
import { type Infer, literals, maybe, named, object, string, union } from "../lib/schema.ts";
import { request } from "./define.ts";
import { Turn } from "./turn.ts";

export const ReviewStartParams = named("ReviewStartParams", () =>
  object({ target: ReviewTarget(), threadId: string(), delivery: maybe(ReviewDelivery()) }),
);
export type ReviewStartParams = Infer<typeof ReviewStartParams>;

export const ReviewStartResponse = named("ReviewStartResponse", () => object({ reviewThreadId: string(), turn: Turn() }));
export type ReviewStartResponse = Infer<typeof ReviewStartResponse>;

export const ReviewDelivery = named("ReviewDelivery", () => literals("inline"));
export type ReviewDelivery = Infer<typeof ReviewDelivery>;

export const ReviewTarget = named("ReviewTarget", () =>
  union([
    object({ type: literals("uncommittedChanges") }),
    object({ type: literals("baseBranch"), branch: string() }),
    object({ type: literals("commit"), sha: string(), title: maybe(string()) }),
    object({ type: literals("custom"), instructions: string() }),
  ]),
);
export type ReviewTarget = Infer<typeof ReviewTarget>;

export const reviewRequests = {
  "review/start": request({ params: ReviewStartParams, result: ReviewStartResponse }),
};
