/** Questions of MCP servers on their way to the people who watch the thread, and the answers on their way back. */
import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import type { Answer, Audience } from "../core/ports/audience.ts";
import { literals, maybe, named, object, parse, record, unknown } from "../lib/schema.ts";
import type { McpServerElicitationRequestParams } from "../protocol/elicitation.ts";

const Answered = named("ElicitationAnswer", () =>
  object({ action: literals("accept", "decline", "cancel"), content: maybe(record(unknown())) }),
);

export interface Asking {
  readonly audience: Audience;
  readonly server: string;
  readonly threadId: string;
  /** The turn whose call is being served. */
  readonly turnId: string | null;
}

/** Declined, with a warning that says why, only when nobody can answer. */
export async function elicit(request: ElicitRequest["params"], asking: Asking, signal: AbortSignal): Promise<ElicitResult> {
  const { audience, server, threadId } = asking;
  const answer = await audience
    .ask(threadId, "mcpServer/elicitation/request", paramsFor(request, asking), signal)
    .catch((): Answer => ({ kind: "timedOut" }));
  if (answer.kind === "nobody" || answer.kind === "refused")
    audience.toThread(threadId, "warning", {
      threadId,
      message: `a question of the MCP server ${server} was declined: ${answer.kind === "nobody" ? "no client that can answer is connected" : answer.message}`,
    });
  if (answer.kind !== "answered") return { action: "decline" };
  const read = parse(Answered, answer.result);
  if (read === undefined) return { action: "decline" };
  return read.action === "accept" && read.content
    ? { action: "accept", content: read.content as NonNullable<ElicitResult["content"]> }
    : { action: read.action };
}

function paramsFor(request: ElicitRequest["params"], { server, threadId, turnId }: Asking): McpServerElicitationRequestParams {
  const common = { serverName: server, threadId, turnId, message: request.message };
  if (request.mode === "url") return { ...common, mode: "url", url: request.url, elicitationId: request.elicitationId };
  return {
    ...common,
    mode: "form",
    requestedSchema: request.requestedSchema as Extract<McpServerElicitationRequestParams, { mode: "form" }>["requestedSchema"],
  };
}
