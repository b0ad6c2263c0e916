/** Parses a server-sent event stream from bytes, for the model clients. Bounded: a line or event that never ends is an error, not a memory leak. */
import { StringDecoder } from "node:string_decoder";
import { createParser, type EventSourceParser } from "eventsource-parser";

/** Limit of one event. A finished response that repeats all its output, or a generated image, can take several megabytes. */
const defaultLimit = 32 * 1024 * 1024;
/** Limit of values in one event: long strings parse fast, but many small values block the event loop. */
const maxValues = 250_000;
/** Shorter events parse fast enough without this check. */
const fewCharacters = 1024 * 1024;
const lineFeed = 10;
const byteOrderMark = 0xfeff;

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

/** A piece of an event that is kept here until its end arrives; the parser keeps longer ones. */
const fewKept = 16 * 1024;

/**
 * `onEvent` gets each event's data and name; comments, ids and unknown fields are skipped. Events of the usual form, one line of data with or
 * without a name before it, are cut out of the text here; the parser reads everything else.
 */
export function createSseReader(onEvent: (data: string, event: string | undefined) => void, limit = defaultLimit): SseReader {
  const decoder = new StringDecoder("utf8");
  let overflow = false;
  let isStart = true;
  /** Between two events. */
  let isBetween = true;
  let kept = "";
  let parser: EventSourceParser | undefined;
  function openParser(): EventSourceParser {
    const opened = createParser({
      maxBufferSize: limit,
      onEvent: (message) => {
        checkValues(message.data);
        onEvent(message.data, message.event);
      },
      onError: (error) => {
        overflow ||= error.type === "max-buffer-size-exceeded";
      },
    });
    opened.feed("\n"); // what comes first it takes for the start of the stream, where a byte order mark is skipped
    return opened;
  }
  function parse(text: string): void {
    parser ??= openParser();
    parser.feed(text);
    if (overflow) throw new SseTooLong(limit);
  }
  /** Returns where the first event begins that is not of the usual form, or not complete. */
  function readPlain(text: string, start: number): number {
    for (let from = start; ; ) {
      const nameEnd = text.startsWith("event: ", from) ? text.indexOf("\n", from) : undefined;
      const line = nameEnd === undefined ? from : nameEnd + 1;
      if (nameEnd === -1 || !text.startsWith("data: ", line)) return from;
      const end = text.indexOf("\n", line);
      if (end === -1 || text.charCodeAt(end + 1) !== lineFeed) return from;
      const data = text.slice(line + 6, end);
      checkValues(data);
      onEvent(data, nameEnd === undefined ? undefined : text.slice(from + 7, nameEnd) || undefined);
      from = end + 2;
    }
  }
  /** A stream may begin with a byte order mark. */
  function withoutMark(text: string): string {
    if (!isStart || text === "") return text;
    isStart = false;
    return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text;
  }
  return {
    feed(bytes) {
      const text = kept + withoutMark(decoder.write(bytes));
      kept = "";
      if (text.includes("\r")) {
        isBetween = false;
        return parse(text);
      }
      let from = isBetween ? readPlain(text, 0) : 0;
      for (let end = text.indexOf("\n\n", from); end !== -1; end = text.indexOf("\n\n", from)) {
        parse(text.slice(from, end + 2));
        isBetween = true;
        from = readPlain(text, end + 2);
      }
      if (from === text.length) return;
      if (isBetween && text.length - from <= Math.min(fewKept, limit)) kept = text.slice(from);
      else {
        isBetween = false;
        parse(text.slice(from));
      }
    },
  };
}
