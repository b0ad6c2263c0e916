/** Reads a server-sent event stream from bytes, for the model clients. Bounded: a line or event that never ends is an error, not a memory leak. */
import { StringDecoder } from "node:string_decoder";
import { createParser } from "eventsource-parser";

/** Room for one event. A finished response that repeats all its output, or a generated image, can take several megabytes. */
const defaultLimit = 32 * 1024 * 1024;

export interface SseReader {
  /** Takes bytes cut anywhere, even inside a character. Throws SseTooLong; the reader is then of no further use. */
  feed(bytes: Uint8Array): void;
}

export class SseTooLong extends Error {
  constructor(limit: number, what = "one event of the stream") {
    super(`${what} is longer than ${limit} characters`);
  }
}

/** `onEvent` gets each event's data and name; comments, ids and unknown fields are skipped. */
export function createSseReader(onEvent: (data: string, event: string | undefined) => void, limit = defaultLimit): SseReader {
  const decoder = new StringDecoder("utf8");
  let overflow = false;
  const parser = createParser({
    maxBufferSize: limit,
    onEvent: (message) => onEvent(message.data, message.event),
    onError: (error) => {
      overflow ||= error.type === "max-buffer-size-exceeded";
    },
  });
  return {
    feed(bytes) {
      parser.feed(decoder.write(bytes));
      if (overflow) throw new SseTooLong(limit);
    },
  };
}
