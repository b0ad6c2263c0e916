/** Parses a server-sent event stream from bytes, for the model clients. Bounded: a line or event that never ends is an error, not a memory leak. */
import { StringDecoder } from "node:string_decoder";
import { createParser } from "eventsource-parser";

/** Limit of one event. A finished response that repeats all its output, or a generated image, can take several megabytes. */
const defaultLimit = 32 * 1024 * 1024;
/** Limit of values in one event: long strings parse fast, but many small values block the event loop. */
const maxValues = 250_000;
/** Shorter events parse fast enough without this check. */
const fewCharacters = 1024 * 1024;

export interface SseReader {
  /** Accepts bytes split anywhere, even inside a character. Throws SseTooLong or SseTooMany; the parser cannot be used after that. */
  feed(bytes: Uint8Array): void;
}

export class SseTooLong extends Error {
  constructor(limit: number, what = "one event of the stream") {
    super(`${what} is longer than ${limit} characters`);
  }
}
export class SseTooMany extends Error {
  constructor() {
    super(`one event of the stream holds more than ${maxValues} values`);
  }
}

/** Throws SseTooMany when the JSON of an event contains more values than any real event has. */
export function checkValues(json: string): void {
  if (json.length < fewCharacters) return;
  let values = 0;
  for (let at = 0; at < json.length; at++) {
    const letter = json[at];
    if (letter === '"') at = endOfText(json, at);
    else if (letter === "," || letter === "{" || letter === "[") values++;
    if (values > maxValues) throw new SseTooMany();
  }
}

/** The index of the quotation mark that ends the string starting here. */
function endOfText(json: string, from: number): number {
  for (let end = json.indexOf('"', from + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let first = end;
    while (json[first - 1] === "\\") first--;
    if ((end - first) % 2 === 0) return end;
  }
  return json.length;
}

/** `onEvent` gets each event's data and name; comments, ids and unknown fields are skipped. */
export function createSseReader(onEvent: (data: string, event: string | undefined) => void, limit = defaultLimit): SseReader {
  const decoder = new StringDecoder("utf8");
  let overflow = false;
  const parser = createParser({
    maxBufferSize: limit,
    onEvent: (message) => {
      checkValues(message.data);
      onEvent(message.data, message.event);
    },
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
