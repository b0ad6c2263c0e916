/** A review of changes by the model. Implemented in server/review.ts and core/turn/review.ts. */
import { type Infer, literals, maybe, named, object, string, union } from "../lib/schema.ts";
import { byThread, request } from "./define.ts";
import { limitText } from "./limits.ts";
import { Turn } from "./turn.ts";

export const ReviewStartParams = named("ReviewStartParams", () =>
  object({ threadId: string(), target: ReviewTarget(), delivery: maybe(ReviewDelivery()) }),
);
export type ReviewStartParams = Infer<typeof ReviewStartParams>;

export const ReviewStartResponse = named("ReviewStartResponse", () => object({ reviewThreadId: string(), turn: Turn() }));
export type ReviewStartResponse = Infer<typeof ReviewStartResponse>;

export const ReviewDelivery = named("ReviewDelivery", () => literals("inline", "detached"));
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
  /** Reviews uncommitted changes, a branch, a commit or what the instructions describe, as a turn here or in a separate thread. */
  "review/start": request({
    params: ReviewStartParams,
    result: ReviewStartResponse,
    order: byThread,
    limits({ target }) {
      if (target.type === "commit") limitText("sha", target.sha);
      if (target.type === "baseBranch") limitText("branch", target.branch);
      if (target.type === "custom") limitText("instructions", target.instructions);
    },
  }),
};
