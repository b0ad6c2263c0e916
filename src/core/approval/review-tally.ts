/** How a turn's automatic reviews ended, so that one in which nobody can be asked does not try on without end. */
import type { ReviewVerdict } from "../ports/approval-review.ts";

const mostInARow = 3;
const mostOfTheLast = 10;

export class ReviewTally {
  /** So many reviews are looked back on. */
  readonly kept = 50;
  #denied: boolean[] = [];
  #inARow = 0;

  /** A review that failed or came too late says nothing about the action: it is no denial, and does not end a row of them. */
  add(status: ReviewVerdict["status"]): void {
    if (status === "denied") this.#inARow++;
    else if (status === "approved") this.#inARow = 0;
    this.#denied = [...this.#denied, status === "denied"].slice(-this.kept);
  }
  get inARow(): number {
    return this.#inARow;
  }
  get ofTheLast(): number {
    return this.#denied.filter(Boolean).length;
  }
  get isTooMuch(): boolean {
    return this.#inARow >= mostInARow || this.ofTheLast >= mostOfTheLast;
  }
}
