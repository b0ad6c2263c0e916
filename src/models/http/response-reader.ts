/** Reads one HTTP/1.1 response from the bytes of a connection: its head, and its body as it arrives. Bounded, and strict where servers differ. */

export interface ResponseHead {
  readonly status: number;
  readonly statusText: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface ResponseEvents {
  answered(head: ResponseHead): void;
  /** Bytes of the body. They are a view of what was passed to `feed`. */
  data(bytes: Buffer): void;
  ended(): void;
}

export class MalformedResponse extends Error {
  constructor(what: string) {
    super(`the server's response is no valid HTTP/1.1: ${what}`);
  }
}

const maxHead = 64 * 1024;
/** Names of chunks' extensions and trailers mean nothing here; no server sends more of them. */
const maxSkipped = 16 * 1024;
/** Provisional responses before the real one. */
const maxProvisional = 16;
/** More hexadecimal digits would make a chunk's size inexact. */
const maxSizeDigits = 12;

const headEnd = "\r\n\r\n";
const headEndLength = 4;
const statusLine = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: (.*))?$/;
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** A line end that is not CR LF, or a character that no header has. */
const strayControl = /[^\r]\n|\r(?!\n)|[\0\x01-\x08\x0b\x0c\x0e-\x1f\x7f]/;
/** Of a repeated header of these the first counts; those of all others are joined. */
const firstCounts: ReadonlySet<string> = new Set(["content-type", "location", "retry-after", "retry-after-ms"]);

const carriageReturn = 13;
const lineFeed = 10;
const semicolon = 59;

type State =
  | "head"
  /** A body of known length, one that ends with the connection, and one in chunks. */
  | "length"
  | "close"
  | "size"
  | "extension"
  | "sizeEnd"
  | "piece"
  | "pieceReturn"
  | "pieceEnd"
  | "trailer"
  | "over";

export class ResponseReader {
  readonly #events: ResponseEvents;
  #state: State = "head";
  /** The beginning of a head that arrives in pieces. */
  #kept: Buffer | undefined;
  #keptLength = 0;
  #provisional = 0;
  /** Of the body, or of its current chunk. */
  #left = 0;
  #digits = 0;
  #skipped = 0;
  /** Characters of the current trailer line. */
  #lineLength = 0;
  #staysOpen = true;

  constructor(events: ResponseEvents) {
    this.#events = events;
  }

  /** Whether anything of the response has arrived. */
  get hasBegun(): boolean {
    return this.#state !== "head" || this.#keptLength > 0 || this.#provisional > 0;
  }
  /** Whether the connection can be used for another request once this response is over. */
  get staysOpen(): boolean {
    return this.#staysOpen;
  }

  /** Returns how many of the bytes belong to this response. Throws MalformedResponse; the reader cannot be used after that. */
  feed(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && this.#state !== "over") at = this.#read(bytes, at);
    return at;
  }

  /** The server has closed the connection. Returns false if that cuts the response off. */
  end(): boolean {
    if (this.#state === "close") this.#finish();
    return this.#state === "over";
  }

  #read(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case "head":
        return this.#readHead(bytes, at);
      case "close":
        this.#events.data(at === 0 ? bytes : bytes.subarray(at));
        return bytes.length;
      case "length":
      case "piece":
        return this.#readBody(bytes, at);
      case "size":
        return this.#readSize(bytes, at);
      case "trailer":
        return this.#readTrailer(bytes, at);
      default:
        return this.#readMark(bytes[at] ?? 0, at);
    }
  }

  #readHead(bytes: Buffer, at: number): number {
    if (this.#kept === undefined) {
      const end = bytes.indexOf(headEnd, at, "latin1");
      if (end !== -1) {
        this.#takeHead(bytes.toString("latin1", at, end));
        return end + headEndLength;
      }
    }
    this.#kept ??= Buffer.allocUnsafe(maxHead);
    const room = this.#kept;
    const before = this.#keptLength;
    const copied = bytes.copy(room, before, at);
    this.#keptLength += copied;
    const kept = room.subarray(0, this.#keptLength);
    if (!"HTTP/1.".startsWith(kept.toString("latin1", 0, 7)))
      throw new MalformedResponse(`it begins with ${JSON.stringify(kept.toString("latin1", 0, 40))}`);
    const end = kept.indexOf(headEnd, Math.max(0, before - headEndLength + 1), "latin1");
    if (end === -1) {
      if (kept.length === maxHead) throw new MalformedResponse(`its head is longer than ${maxHead} bytes`);
      if (kept.indexOf("\n\n", 0, "latin1") !== -1) throw new MalformedResponse("its lines do not end with CR LF");
      return at + copied;
    }
    this.#kept = undefined;
    this.#keptLength = 0;
    this.#takeHead(kept.toString("latin1", 0, end));
    return at + end + headEndLength - before;
  }

  #takeHead(text: string): void {
    if (text.length > maxHead) throw new MalformedResponse(`its head is longer than ${maxHead} bytes`);
    const [first = "", ...lines] = text.split("\r\n");
    const [, minor, code, statusText = ""] = statusLine.exec(first) ?? [];
    if (code === undefined) throw new MalformedResponse(`it begins with ${JSON.stringify(first.slice(0, 40))}`);
    if (strayControl.test(text)) throw new MalformedResponse("its head has a character that no header may have");
    const status = Number(code);
    const headers = headersFrom(lines);
    if (status < 200) {
      if (status === 101) throw new MalformedResponse("it changes the protocol");
      if (++this.#provisional > maxProvisional) throw new MalformedResponse(`more than ${maxProvisional} provisional responses`);
      return;
    }
    const connection = headers["connection"]?.toLowerCase() ?? "";
    this.#staysOpen = minor === "1" ? !/\bclose\b/.test(connection) : /\bkeep-alive\b/.test(connection);
    this.#state = this.#bodyOf(status, headers);
    this.#events.answered({ status, statusText, headers });
    if ((this.#state === "length" && this.#left === 0) || status === 204 || status === 304) this.#finish();
  }

  #bodyOf(status: number, headers: Readonly<Record<string, string>>): State {
    const coding = headers["transfer-encoding"]?.toLowerCase().trim();
    const length = headers["content-length"];
    if (coding !== undefined) {
      if (coding !== "chunked") throw new MalformedResponse(`the transfer coding ${JSON.stringify(coding.slice(0, 40))} is not supported`);
      if (length !== undefined) this.#staysOpen = false; // the two contradict each other
      return "size";
    }
    if (length === undefined) {
      if (status !== 204 && status !== 304) this.#staysOpen = false;
      return "close";
    }
    const [one = "", ...others] = length.split(",").map((each) => each.trim());
    if (!/^\d{1,15}$/.test(one) || others.some((each) => each !== one))
      throw new MalformedResponse(`its length is ${JSON.stringify(length.slice(0, 40))}`);
    this.#left = Number(one);
    return "length";
  }

  #readBody(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#left -= end - at;
    const isLast = this.#left === 0;
    const ends = isLast && this.#state === "length";
    if (isLast) this.#state = ends ? "over" : "pieceReturn";
    this.#events.data(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end));
    if (ends) this.#events.ended();
    return end;
  }

  #readSize(bytes: Buffer, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      const digit = hexDigit(byte);
      if (digit === -1) {
        if (this.#digits === 0 || (byte !== carriageReturn && byte !== semicolon && byte !== 32 && byte !== 9))
          throw new MalformedResponse("a chunk's size is no number");
        this.#state = byte === carriageReturn ? "sizeEnd" : "extension";
        return at + 1;
      }
      if (++this.#digits > maxSizeDigits) throw new MalformedResponse("a chunk's size is too large");
      this.#left = this.#left * 16 + digit;
    }
    return bytes.length;
  }

  /** A single byte between the parts of a body. */
  #readMark(byte: number, at: number): number {
    if (this.#state === "extension") {
      this.#countSkipped();
      if (byte === carriageReturn) this.#state = "sizeEnd";
      else if (byte === lineFeed) throw new MalformedResponse("a chunk's size does not end with CR LF");
    } else if (this.#state === "pieceReturn") {
      if (byte !== carriageReturn) throw new MalformedResponse("a chunk is longer than its size");
      this.#state = "pieceEnd";
    } else {
      if (byte !== lineFeed) throw new MalformedResponse("a chunk does not end with CR LF");
      if (this.#state === "pieceEnd") {
        this.#digits = 0;
        this.#state = "size";
      } else this.#state = this.#left === 0 ? "trailer" : "piece";
    }
    return at + 1;
  }

  #readTrailer(bytes: Buffer, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === lineFeed) {
        if (this.#lineLength === 0) {
          this.#finish();
          return at + 1;
        }
        this.#lineLength = 0;
      } else if (byte !== carriageReturn) this.#lineLength++;
      this.#countSkipped();
    }
    return bytes.length;
  }

  #countSkipped(): void {
    if (++this.#skipped > maxSkipped) throw new MalformedResponse("too much beside its body");
  }

  #finish(): void {
    this.#state = "over";
    this.#events.ended();
  }
}

function headersFrom(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    if (!headerName.test(name)) throw new MalformedResponse(`the header ${JSON.stringify(line.slice(0, 40))}`);
    const value = line.slice(colon + 1).trim();
    const known = headers[name];
    if (known === undefined) headers[name] = value;
    else if (!firstCounts.has(name)) headers[name] = `${known}, ${value}`;
  }
  return headers;
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}
