/**
 * Questions of other processes to one client: each has an id of ours, which the client keeps even if the question is put again by another
 * process that continues the thread.
 */
import type { Outcome } from "../rpc/peer.ts";
import { objectOf, textOf, threadIdIn } from "./messages.ts";

/** Who has put a question, and gets its answer. */
export interface Asker {
  answer(theirs: string | number, outcome: Outcome): void;
}

export interface Question {
  readonly ours: number;
  readonly threadId: string | undefined;
  readonly turnId: string | undefined;
  readonly itemId: string | undefined;
  readonly method: string;
  /** Everything that is asked, but not when. */
  readonly asked: string;
  /** Undefined between the process that has ended and the one that asks again. */
  asker: Asker | undefined;
  theirs: string | number;
  /** The client's answer, until the process has confirmed it. */
  given: Outcome | undefined;
}

export class Questions {
  readonly #nextId: () => number;
  readonly #open = new Map<number, Question>();

  constructor(nextId: () => number) {
    this.#nextId = nextId;
  }

  /**
   * The id under which the client is to be asked; undefined if it has been asked the same already, by a process that has ended or by this one
   * before it opened the thread anew. `instead` are questions of that kind that are no longer asked.
   */
  put(asker: Asker, theirs: string | number, method: string, params: unknown): { id: number | undefined; instead: readonly Question[] } {
    const known = this.#find((one) => one.asker === asker && one.theirs === theirs);
    if (known !== undefined) return { id: known.ours, instead: [] };
    const asked = contentOf(params);
    const { turnId, itemId, callId } = objectOf(params);
    const question = { threadId: threadIdIn(params), turnId: textOf(turnId), itemId: textOf(itemId) ?? textOf(callId), method };
    const left = [...this.#open.values()].filter((one) => one.asker === undefined && isAbout(one, question));
    const same =
      left.find((one) => one.asked === asked) ?? this.#find((one) => one.asker === asker && isAbout(one, question) && one.asked === asked);
    if (same !== undefined) {
      same.asker = asker;
      same.theirs = theirs;
      if (same.given !== undefined) asker.answer(theirs, same.given);
      return { id: undefined, instead: [] };
    }
    for (const { ours } of left) this.#open.delete(ours);
    const ours = this.#nextId();
    this.#open.set(ours, { ...question, ours, asked, asker, theirs, given: undefined });
    return { id: ours, instead: left };
  }

  /** The client's answer; the first one counts. False if the question is not one of these. */
  answered(id: string | number, outcome: Outcome): boolean {
    const question = typeof id === "number" ? this.#open.get(id) : undefined;
    if (question === undefined) return false;
    if (question.given !== undefined) return true;
    question.given = outcome;
    question.asker?.answer(question.theirs, outcome);
    // Nobody confirms the end of a question that concerns no thread.
    if (question.threadId === undefined) this.#open.delete(question.ours);
    return true;
  }

  threadOf(id: string | number): string | undefined {
    return typeof id === "number" ? this.#open.get(id)?.threadId : undefined;
  }

  /** The process says that its question has ended; ours. */
  resolved(asker: Asker, theirs: unknown): Question | undefined {
    const question = this.#find((one) => one.asker === asker && one.theirs === theirs);
    if (question !== undefined) this.#open.delete(question.ours);
    return question;
  }

  /** The process does not ask any more; its questions may be put again by another one. */
  leave(asker: Asker, threadId?: string): void {
    for (const question of this.#open.values())
      if (question.asker === asker && (threadId === undefined || question.threadId === threadId)) question.asker = undefined;
  }

  /** Ends questions that nobody asks any more. */
  drop(fits: (question: Question) => boolean): Question[] {
    const ended = [...this.#open.values()].filter((one) => one.asker === undefined && fits(one));
    for (const { ours } of ended) this.#open.delete(ours);
    return ended;
  }

  #find(fits: (question: Question) => boolean): Question | undefined {
    for (const question of this.#open.values()) if (fits(question)) return question;
    return undefined;
  }
}

type About = Pick<Question, "threadId" | "itemId" | "method">;
const isAbout = (one: About, other: About): boolean =>
  one.threadId !== undefined && one.threadId === other.threadId && one.itemId === other.itemId && one.method === other.method;

function contentOf(params: unknown): string {
  const { startedAtMs: _, ...asked } = objectOf(params);
  return JSON.stringify(asked);
}
