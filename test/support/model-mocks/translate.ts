/** A provider that speaks chat and anthropic in front of one that speaks Responses, so that scenarios written for one wire run over the others. */
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createSseReader } from "../../../src/lib/sse.ts";
import { isRecord, type Json, parseJson } from "../../../src/models/json.ts";
import { anthropicTranslator, chatTranslator, type ReplyTranslator } from "./translate-replies.ts";
import { bodyOf, responsesFromAnthropic, responsesFromChat } from "./translate-requests.ts";

interface Translation {
  readonly request: (body: Json) => Json;
  readonly reply: () => ReplyTranslator;
}

const translations: Readonly<Record<string, Translation>> = {
  "/chat/completions": { request: responsesFromChat, reply: chatTranslator },
  "/messages": { request: responsesFromAnthropic, reply: anthropicTranslator },
};

/** The address (…/v1) of a translating provider in front of the one at `upstream`. The listening socket does not keep the process alive. */
export async function listenTranslator(upstream: string): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => translate(request, response, Buffer.concat(chunks).toString("utf8"), upstream));
  });
  server.unref();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

function translate(request: IncomingMessage, response: ServerResponse, text: string, upstream: string): void {
  const path = (request.url ?? "").replace(/^\/v1/, "").replace(/\?.*$/, "");
  const translation = translations[path];
  const body = bodyOf(text);
  const isModelCall = translation !== undefined && body !== undefined;
  const payload = isModelCall ? JSON.stringify(translation.request(body)) : text;
  const target = `${upstream.replace(/\/$/, "")}${isModelCall ? "/responses" : path}`;
  const { host: _host, "content-length": _length, ...headers } = request.headers;
  const asked = httpRequest(
    target,
    { method: request.method, headers: { ...headers, "content-length": `${Buffer.byteLength(payload)}` } },
    (answer) => {
      const isStream = `${answer.headers["content-type"]}`.startsWith("text/event-stream");
      response.writeHead(answer.statusCode ?? 500, { ...answer.headers });
      if (!isModelCall || !isStream) return void answer.pipe(response);
      const translator = translation.reply();
      const events = createSseReader((data) => {
        const event = parseJson(data);
        if (isRecord(event)) for (const frame of translator.frames(event)) response.write(frame);
      });
      answer.on("data", (chunk: Buffer) => events.feed(chunk));
      answer.on("end", () => response.end());
      answer.on("error", () => response.destroy());
    },
  );
  asked.on("error", () => response.destroy());
  response.on("close", () => asked.destroy());
  asked.end(payload);
}
