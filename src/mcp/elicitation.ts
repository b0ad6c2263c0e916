/** Forwards questions of MCP servers to the thread's subscribers, and returns their answers. */
import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import type { Answer, Audience } from "../core/ports/audience.ts";
import type { ToolContext } from "../core/ports/tool.ts";
import { literals, maybe, named, object, parse, record, unknown } from "../lib/schema.ts";
import { visibleText } from "../lib/visible-text.ts";
import type { McpServerElicitationRequestParams } from "../protocol/elicitation.ts";

const Answered = named("ElicitationAnswer", () =>
  object({ action: literals("accept", "decline", "cancel"), content: maybe(record(unknown())), _meta: maybe(record(unknown())) }),
);

export interface Asking {
  readonly audience: Audience;
  readonly server: string;
  readonly threadId: string;
  /** The call being served: its turn shows that it is waiting. */
  readonly serving: ToolContext | undefined;
}

/** Declined, with a warning that gives the reason, only if nobody can answer or the settings forbid questions. */
export async function elicit(request: ElicitRequest["params"], asking: Asking, wanted: AbortSignal): Promise<ElicitResult> {
  const { audience, server, threadId } = asking;
  // Servers do not always withdraw their question when its call is cancelled: it ends with the turn.
  const signal = asking.serving === undefined ? wanted : AbortSignal.any([wanted, asking.serving.signal]);
  const decline = (why: string): ElicitResult => {
    audience.toThread(threadId, "warning", { threadId, message: `a question of the MCP server ${server} was declined: ${why}` });
    return { action: "decline" };
  };
  if (asking.serving !== undefined && asksNobody(asking.serving)) return decline("the approval policy is never");
  if (request.mode === "url" && !isWebAddress(request.url)) return decline("it wants to open something that is no web address");
  const params = paramsFor(request, asking);
  const method = "mcpServer/elicitation/request";
  const answer = await (asking.serving?.ask(method, params, signal) ?? audience.ask(threadId, method, params, { signal })).catch(
    (): Answer => ({ kind: "timedOut" }),
  );
  if (answer.kind === "nobody") return decline("no client that can answer is connected");
  if (answer.kind === "refused") return decline(answer.message);
  if (answer.kind === "timedOut") return signal.aborted ? { action: "cancel" } : decline("nobody answered in time");
  const read = parse(Answered, answer.result);
  if (read === undefined) return decline("the answer could not be read");
  const meta = read._meta ? { _meta: read._meta } : {};
  return read.action === "accept"
    ? { action: "accept", content: (read.content ?? {}) as NonNullable<ElicitResult["content"]>, ...meta }
    : { action: read.action, ...meta };
}

/** If the settings forbid questions, none are asked, unless everything is allowed anyway: then the server's questions are about its own work. */
const asksNobody = ({ settings }: ToolContext): boolean =>
  settings.approvalPolicy === "never" && settings.sandboxPolicy.type !== "dangerFullAccess";

const isWebAddress = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

const maxMessage = 4000;
const secretNames = /pass(?:word|phrase|code)|secret|\btoken\b|api[-_ ]?key|private[-_ ]?key|credit[-_ ]?card|\bcvv\b|\bpin\b/i;
const caution = "MCP servers should not ask for passwords or keys: answer only if you trust it.";

function paramsFor(request: ElicitRequest["params"], { server, threadId, serving }: Asking): McpServerElicitationRequestParams {
  const message = visibleText(request.message, maxMessage);
  const common = { serverName: server, threadId, turnId: serving?.turnId ?? null, message, _meta: request._meta ?? null };
  if (request.mode === "url") return { ...common, mode: "url", url: request.url, elicitationId: request.elicitationId };
  const asksForSecret = secretNames.test(`${message} ${JSON.stringify(request.requestedSchema.properties)}`);
  return {
    ...common,
    message: asksForSecret ? `${message}\n\n(${caution})` : message,
    mode: "form",
    requestedSchema: request.requestedSchema as Extract<McpServerElicitationRequestParams, { mode: "form" }>["requestedSchema"],
  };
}
