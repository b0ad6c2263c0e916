/** Reads one answer of a provider from its response: bytes become events, in batches of what arrived together. */
import type { ModelEvent, ModelFailure } from "../core/ports/model-client.ts";
import { createPace } from "../lib/pace.ts";
import { createSseReader, SseTooLong } from "../lib/sse.ts";
import { cutOff, failureFromNetwork } from "./failures.ts";
import type { HttpReply } from "./http/pool.ts";
import type { EventReader } from "./wire.ts";

export interface Received {
  readonly reply: HttpReply;
  readonly url: string;
  /** Values that must not appear in an error when a server echoes its request. */
  readonly secrets: readonly string[];
}
interface AnswerParts extends Received {
  readonly reader: EventReader;
  /** What its headers say. */
  readonly first: readonly ModelEvent[];
}

/** Far more than the longest answer with all its events: a stream beyond it would never end. */
const answerLimit = 256 * 1024 * 1024;
/** Reading a fast provider's events may never yield, so this is how long it may run before yielding. */
const stretchMs = 10;
/** Events that arrive before any model output. */
const beforeAnswers: ReadonlySet<string> = new Set<ModelEvent["type"]>(["created", "rateLimits", "rerouted", "warning", "failed"]);

/** Returns the failure if it happened before the answer began; any later failure is its last event. */
export async function* readAnswer(
  parts: AnswerParts,
  signal: AbortSignal,
): AsyncGenerator<readonly ModelEvent[], ModelFailure | undefined> {
  const answer = new Answer(parts);
  const pace = createPace(stretchMs);
  try {
    while (!answer.isOver) {
      await answer.receive(signal);
      // The first text leaves before what follows it in the same piece is read.
      if (answer.readToFirstText()) {
        yield answer.take();
        signal.throwIfAborted();
      }
      answer.readRest();
      const others = pace();
      if (others !== undefined) await others;
      const batch = answer.take();
      if (batch.length > 0) yield batch;
      signal.throwIfAborted();
    }
    return answer.early;
  } finally {
    answer.leave();
  }
}

class Answer {
  isOver = false;
  /** A failure before the answer began. */
  early: ModelFailure | undefined;
  readonly #parts: AnswerParts;
  /** Data and name of each event that has arrived. */
  readonly #arrived: (string | undefined)[] = [];
  readonly #events = createSseReader((data, event) => void this.#arrived.push(data, event));
  #out: ModelEvent[];
  /** The place of the next event in `arrived`. */
  #next = 0;
  #bytes = 0;
  #hasRead = false;
  #hasText = false;
  #hasBegun = false;
  /** Its last event was read. */
  #isComplete = false;
  /** The response has ended, or broken off. */
  #end: "ended" | ModelFailure | undefined;

  constructor(parts: AnswerParts) {
    this.#parts = parts;
    this.#out = [...parts.first];
  }

  /** Waits for the next piece of the response. */
  async receive(signal: AbortSignal): Promise<void> {
    const { reply, url } = this.#parts;
    this.#arrived.length = 0;
    this.#next = 0;
    try {
      const chunk = await reply.next();
      if (chunk === undefined) {
        this.#end = "ended";
        return;
      }
      this.#bytes += chunk.length;
      if (this.#bytes > answerLimit) throw new SseTooLong(answerLimit, "the answer with all its events");
      this.#events.feed(chunk);
    } catch (error) {
      signal.throwIfAborted();
      this.#end = failureFromNetwork(error, url);
    }
    if (this.#arrived.length === 0) return;
    this.#hasRead = true;
    reply.alive();
  }

  /** Returns whether it has come to the answer's first text; whatever follows that is left for `readRest`. */
  readToFirstText(): boolean {
    while (!this.#hasText && this.#readOne()) {
      if (this.isOver || !isText(this.#out.at(-1))) continue;
      this.#hasText = true;
      return true;
    }
    return false;
  }

  /** Also ends an answer whose response is over. */
  readRest(): void {
    while (this.#readOne());
    if (this.isOver || this.#end === undefined) return;
    this.isOver = true;
    if (this.#end !== "ended") this.#out.push({ type: "failed", failure: this.#end });
    else if (this.#hasRead) this.#parts.reader.end(this.#out);
    else this.#out.push({ type: "failed", failure: { ...cutOff("its first event"), kind: "responseStreamConnectionFailed" } });
  }

  #readOne(): boolean {
    if (this.isOver || this.#next >= this.#arrived.length) return false;
    const data = this.#arrived[this.#next] ?? "";
    const event = this.#arrived[this.#next + 1];
    this.#next += 2;
    this.isOver = this.#isComplete = this.#parts.reader.read(data, event, this.#out);
    return true;
  }

  /** The events that were read since the last time. */
  take(): readonly ModelEvent[] {
    if (this.#out.length === 0) return [];
    const { secrets } = this.#parts;
    const events = this.isOver ? this.#out.map((event) => withoutSecrets(event, secrets)) : this.#out;
    this.#out = [];
    this.#hasBegun ||= events.some(({ type }) => !beforeAnswers.has(type));
    const last = events.at(-1);
    if (this.#hasBegun || last?.type !== "failed" || last.failure.retry !== false) return events;
    this.early = last.failure;
    return events.slice(0, -1);
  }

  /** After the last event the end of the response is due, and its connection can be kept. Otherwise nobody reads the rest. */
  leave(): void {
    if (this.#isComplete) this.#parts.reply.finish();
    else this.#parts.reply.close();
  }
}

const isText = (event: ModelEvent | undefined): boolean =>
  event?.type === "textDelta" || event?.type === "summaryDelta" || event?.type === "reasoningDelta";

export function masked(text: string, secrets: readonly string[]): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, "***"), text);
}
function withoutSecrets(event: ModelEvent, secrets: readonly string[]): ModelEvent {
  if (event.type !== "failed") return event;
  return { ...event, failure: { ...event.failure, message: masked(event.failure.message, secrets) } };
}
