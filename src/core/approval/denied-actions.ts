/** What the automatic review denied in a thread, so that the user can allow one more try of exactly that. */
import type { ReviewedAction } from "../ports/approval-review.ts";

export class DeniedActions {
  readonly #denied = new Map<string, ReviewedAction>();
  readonly #retries = new Set<string>();

  add(reviewId: string, action: ReviewedAction): void {
    this.#denied.set(reviewId, action);
    const oldest = this.#denied.keys().next().value;
    if (this.#denied.size > maxKept && oldest !== undefined) this.#denied.delete(oldest);
  }
  /** The action that may be tried once more; undefined when no such review denied one. */
  allowRetry(reviewId: string): ReviewedAction | undefined {
    const action = this.#denied.get(reviewId);
    if (action === undefined) return undefined;
    this.#denied.delete(reviewId);
    this.#retries.add(action.text);
    return action;
  }
  takeRetry(text: string): boolean {
    return this.#retries.delete(text);
  }
}
const maxKept = 100;
