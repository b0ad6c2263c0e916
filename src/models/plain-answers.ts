/** Responses that are not the requested event stream: a complete answer, an error with status 200, a web page. */
import type { ModelFailure } from "../core/ports/model-client.ts";
import { failureFromEvent } from "./failures.ts";
import type { HttpReply } from "./http/pool.ts";
import { isRecord, parseJson, recordOf } from "./json.ts";

/** A complete answer, as the only event of a stream. */
export function asStream({ status, statusText, headers }: HttpReply, text: string): HttpReply {
  const pieces = [`data: ${text.replaceAll(/\r?\n/g, " ")}\n\n`, "data: [DONE]\n\n"];
  const next = async (): Promise<Buffer | undefined> => {
    const piece = pieces.shift();
    return piece === undefined ? undefined : Buffer.from(piece);
  };
  return { status, statusText, headers, next, alive: () => {}, finish: () => {}, close: () => {} };
}

export function notAStream(type: string, body: string, url: string): ModelFailure {
  const { error, object } = recordOf(parseJson(body));
  if (isRecord(error) || typeof error === "string" || object === "error") return failureFromEvent(body);
  const what = type.startsWith("text/html") ? "a web page" : "a plain JSON answer";
  return {
    kind: "responseStreamConnectionFailed",
    message: `the model provider answered with ${what} instead of an event stream, url: ${url} (check base_url, wire_api and any proxy or log-in page in between)`,
    details: body.slice(0, 1000),
    retry: false,
  };
}
