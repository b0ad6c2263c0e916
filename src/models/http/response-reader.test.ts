/** The response reader takes bytes split anywhere, reads what Node's own client reads, and stays bounded. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MalformedResponse, type ResponseHead, ResponseReader } from "./response-reader.ts";

interface Seen {
  head: ResponseHead | undefined;
  body: string;
  isOver: boolean;
  staysOpen: boolean;
  /** Bytes after its end. */
  rest: number;
}

/** `size`: how many bytes arrive at a time. */
function read(text: string, size = Number.POSITIVE_INFINITY, closes = false): Seen {
  const seen: Seen = { head: undefined, body: "", isOver: false, staysOpen: false, rest: 0 };
  const reader = new ResponseReader({
    answered: (head) => {
      assert.equal(seen.head, undefined);
      seen.head = head;
    },
    data: (bytes) => {
      seen.body += bytes.toString("latin1");
    },
    ended: () => {
      assert.equal(seen.isOver, false);
      seen.isOver = true;
    },
  });
  const bytes = Buffer.from(text, "latin1");
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.subarray(at, Math.min(at + size, bytes.length));
    seen.rest += piece.length - reader.feed(piece);
  }
  if (closes) assert.equal(reader.end(), seen.isOver);
  seen.staysOpen = reader.staysOpen;
  return seen;
}
const response = (headers: readonly string[], body = "", status = "200 OK"): string =>
  `HTTP/1.1 ${status}\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n${body}`;
const chunked = (...chunks: readonly string[]): string =>
  response(["Transfer-Encoding: chunked"], `${chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("")}0\r\n\r\n`);
const refused = (text: string, why: RegExp): void => {
  for (const size of [Number.POSITIVE_INFINITY, 1000, 7, 1])
    assert.throws(
      () => read(text, size),
      (error) => error instanceof MalformedResponse && why.test(error.message),
    );
};

describe("a response", () => {
  it("is the same however its bytes are split", () => {
    const texts = [
      chunked("data: 1\n\n", "data: 2\n\n"),
      response(["Content-Length: 5", "Content-Type: text/plain"], "12345"),
      response(["Content-Length: 0"]),
      response(["X-Empty:", "x-two: 1", "X-Two: 2", "Content-Type: a", "content-type: b"], "", "204 No Content"),
      `HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${chunked("after a provisional one")}`,
      response(["Transfer-Encoding: chunked"], "A;name=value\r\n0123456789\r\n3 \r\nabc\r\n0\r\nTrailer: 1\r\n\r\n"),
    ];
    for (const text of texts) {
      const whole = read(text);
      assert.ok(whole.isOver && whole.staysOpen && whole.rest === 0, text);
      for (let size = 1; size < text.length; size++) assert.deepEqual(read(text, size), whole, `${size} bytes at a time: ${text}`);
    }
    assert.equal(read(texts[5] ?? "").body, "0123456789abc");
  });
  it("has its headers by lower-case name, without their blanks; of a repeated type the first counts", () => {
    const { head } = read(response(["X-Empty:", "X-Two:  1 ", "x-two: 2", "Content-Type: a", "content-type: b", "__proto__: 1"]));
    assert.deepEqual({ ...head?.headers }, { "x-empty": "", "x-two": "1, 2", "content-type": "a", ["__proto__"]: "1" });
    assert.equal(Object.getPrototypeOf(head?.headers), null);
  });
  it("without a length ends with its connection, which cannot be used again", () => {
    assert.deepEqual(
      { ...read(response([], "to the end"), 3, true), head: undefined },
      {
        ...{ head: undefined, body: "to the end", isOver: true, staysOpen: false, rest: 0 },
      },
    );
  });
  it("that is cut off is not over", () => {
    for (const text of [response(["Content-Length: 5"], "1234"), chunked("12").slice(0, -2), "HTTP/1.1 200 O", ""])
      assert.equal(read(text, 4, true).isOver, false, text);
  });
  it("says whether its connection may be used again", () => {
    assert.equal(read(response(["Content-Length: 1", "Connection: Close"], "1")).staysOpen, false);
    assert.equal(read("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n1").staysOpen, false);
    assert.equal(read("HTTP/1.0 200 OK\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\n1").staysOpen, true);
    const both = read(response(["Content-Length: 99", "Transfer-Encoding: chunked"], "1\r\n1\r\n0\r\n\r\n"));
    assert.deepEqual([both.body, both.isOver, both.staysOpen], ["1", true, false], "two lengths contradict each other");
  });
  it("does not take what follows it for its own", () => {
    assert.equal(read(`${response(["Content-Length: 1"], "1")}HTTP/1.1 200 OK\r\n`).rest, 17);
    assert.equal(read(`${chunked("1")}x`).rest, 1);
  });
});

describe("refused is", () => {
  it("another protocol, or another line end", () => {
    refused("SSH-2.0-OpenSSH_9.2\r\n\r\n", /it begins with "S/);
    refused("HTTP/2 200\r\n\r\n", /it begins with "HTTP\/2/);
    refused("HTTP/1.1 200 OK\nContent-Length: 0\n\n", /CR LF/);
    refused("HTTP/1.1 abc\r\n\r\n", /it begins with "HTTP\/1.1 abc"/);
    refused(response([], "", "101 Switching Protocols"), /changes the protocol/);
  });
  it("a head with a stray line end, a control character or no name", () => {
    for (const line of ["a: b\nc: d", "a: b\rc: d", "a: \0", "a\x7f: b"]) refused(response([line, "Content-Length: 0"]), /its head|header/);
    for (const line of ["no colon", ": no name", "a b: c", " folded: x"]) refused(response([line]), /the header/);
  });
  it("a length that is none, or two", () => {
    for (const length of ["-1", "1e3", "0x10", "", "9999999999999999", "1, 2", "5 5"])
      refused(response([`Content-Length: ${length}`]), /length/);
    assert.equal(read(response(["Content-Length: 1", "Content-Length: 1"], "1")).isOver, true);
  });
  it("a transfer coding other than chunks", () => {
    for (const coding of ["gzip, chunked", "identity", "chunked, chunked"])
      refused(response([`Transfer-Encoding: ${coding}`]), /transfer coding/);
  });
  it("a broken chunk", () => {
    const broken = (body: string, why: RegExp): void => refused(response(["Transfer-Encoding: chunked"], body), why);
    broken("xyz\r\n", /size is no number/);
    broken("-1\r\n", /size is no number/);
    broken("\r\n", /size is no number/);
    broken("fffffffffffff\r\n", /size is too large/);
    broken("1\n1\n", /size is no number/);
    broken("1;a\n1\r\n", /CR LF/);
    broken("1\r\n12\r\n", /longer than its size/);
  });
  it("too much of what is not the answer", () => {
    refused(`HTTP/1.1 200 OK\r\na: ${"x".repeat(70_000)}\r\n\r\n`, /longer than 65536 bytes/);
    refused("HTTP/1.1 100 Continue\r\n\r\n".repeat(20), /provisional/);
    refused(response(["Transfer-Encoding: chunked"], `1;${"x".repeat(20_000)}\r\n`), /too much beside/);
    refused(response(["Transfer-Encoding: chunked"], "1;xxxxxxxxxxxxxxxx\r\n1\r\n".repeat(2000)), /too much beside/);
    refused(response(["Transfer-Encoding: chunked"], `0\r\n${"t: x\r\n".repeat(5000)}\r\n`), /too much beside/);
  });
});
