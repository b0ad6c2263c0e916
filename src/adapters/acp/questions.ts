/** Translates a thread's questions for the editor: permission requests for tool calls, forms for everything else. */
import type {
  ClientCapabilities,
  CreateElicitationRequest,
  CreateElicitationResponse,
  ElicitationPropertySchema,
  ElicitationSchema,
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { literals, named, object, parse, string } from "../../lib/schema.ts";
import type {
  CommandExecutionRequestApprovalParams,
  CommandExecutionRequestApprovalResponse,
  FileChangeRequestApprovalParams,
  FileChangeRequestApprovalResponse,
  PermissionsRequestApprovalParams,
  PermissionsRequestApprovalResponse,
} from "../../protocol/approval.ts";
import type { McpServerElicitationRequestParams, McpServerElicitationRequestResponse } from "../../protocol/elicitation.ts";
import { invalidRequest } from "../../protocol/errors.ts";
import type { ToolRequestUserInputParams, ToolRequestUserInputQuestion, ToolRequestUserInputResponse } from "../../protocol/user-input.ts";
import { scriptOf } from "../../shell/shown-script.ts";
import { diffFrom, type ReadText } from "./diffs.ts";
import { textContent } from "./tool-calls.ts";

/** Sends questions to the editor. Rejects when the question was withdrawn or the editor refused to answer. */
export interface Asker {
  readonly sessionId: string;
  readonly capabilities: ClientCapabilities;
  permission(request: RequestPermissionRequest): Promise<RequestPermissionResponse>;
  elicit(request: CreateElicitationRequest): Promise<CreateElicitationResponse>;
}

const allow: PermissionOption = { optionId: "accept", name: "Allow", kind: "allow_once" };
const allowAlways: PermissionOption = { optionId: "acceptForSession", name: "Allow for this session", kind: "allow_always" };
const reject: PermissionOption = { optionId: "decline", name: "Reject", kind: "reject_once" };
const rejectAndStop: PermissionOption = { optionId: "cancel", name: "Reject and stop", kind: "reject_once" };
const amendId = "acceptWithExecpolicyAmendment";

/** The editor's possible answers; the library does not validate them. */
const Chosen = named("AcpChosen", () => object({ outcome: object({ outcome: literals("selected"), optionId: string() }) }));

/** The id of the chosen option; "decline" for an option that was not offered, "cancel" for a dismissed dialog or an unreadable answer. */
async function choose(asker: Asker, toolCall: ToolCallUpdate, options: PermissionOption[]): Promise<string> {
  const answer = parse(Chosen, await asker.permission({ sessionId: asker.sessionId, toolCall, options }));
  const id = answer?.outcome.optionId;
  if (id === undefined) return "cancel";
  return options.some(({ optionId }) => optionId === id) ? id : "decline";
}

const plainDecision = (id: string): "accept" | "acceptForSession" | "decline" | "cancel" =>
  id === "accept" || id === "acceptForSession" || id === "cancel" ? id : "decline";

export async function permitCommand(
  params: CommandExecutionRequestApprovalParams,
  asker: Asker,
): Promise<CommandExecutionRequestApprovalResponse> {
  // A rule that covers only half of a command would not mean "always".
  const prefix = params.amendmentCoversAll === false ? [] : (params.proposedExecpolicyAmendment ?? []);
  const where = params.outsideSandbox === true ? " outside the sandbox" : "";
  const amend: PermissionOption[] =
    prefix.length === 0 ? [] : [{ optionId: amendId, name: `Always allow \`${prefix.join(" ")} …\`${where}`, kind: "allow_always" }];
  const toolCall: ToolCallUpdate = {
    toolCallId: params.itemId,
    title: params.command ? scriptOf(params.command).script : "Run a command",
    kind: "execute",
    status: "pending",
    content: textContent([...(where === "" ? [] : ["Runs outside the sandbox."]), params.reason ?? ""].join("\n").trim() || undefined),
    rawInput: { command: params.command ?? null, cwd: params.cwd ?? null },
  };
  const id = await choose(asker, toolCall, [allow, allowAlways, ...amend, reject, rejectAndStop]);
  if (id === amendId && amend.length > 0) return { decision: { acceptWithExecpolicyAmendment: { execpolicy_amendment: prefix } } };
  return { decision: plainDecision(id) };
}

export async function permitEdit(
  params: FileChangeRequestApprovalParams,
  asker: Asker,
  read: ReadText,
): Promise<FileChangeRequestApprovalResponse> {
  const changes = params.changes ?? [];
  const diffs = await Promise.all(changes.map((change) => diffFrom(change, read)));
  const toolCall: ToolCallUpdate = {
    toolCallId: params.itemId,
    kind: "edit",
    status: "pending",
    content: [...diffs.map((diff) => ({ type: "diff" as const, ...diff })), ...textContent(params.reason ?? undefined)],
    locations: changes.map(({ path }) => ({ path })),
  };
  return { decision: plainDecision(await choose(asker, toolCall, [allow, allowAlways, reject, rejectAndStop])) };
}

/** Additional sandbox permissions: everything that was requested, for the turn or the session, or nothing. */
export async function permitSandboxAccess(
  params: PermissionsRequestApprovalParams,
  asker: Asker,
): Promise<PermissionsRequestApprovalResponse> {
  const { permissions, reason } = params;
  const folders = permissions.fileSystem?.write ?? [];
  const wanted = [...folders.map((folder) => `write to ${folder}`), ...(permissions.network?.enabled === true ? ["use the network"] : [])];
  const toolCall: ToolCallUpdate = {
    toolCallId: params.itemId,
    title: `Let commands ${wanted.join(" and ")}`,
    kind: "other",
    status: "pending",
    content: textContent(reason ?? undefined),
    locations: folders.map((path) => ({ path })),
    rawInput: permissions,
  };
  const id = plainDecision(await choose(asker, toolCall, [{ ...allow, name: "Allow for this turn" }, allowAlways, reject]));
  if (id !== "accept" && id !== "acceptForSession") return { permissions: {}, scope: "turn" };
  return { permissions, scope: id === "accept" ? "turn" : "session" };
}

/** Uses a form if the editor supports forms; otherwise one dialog for each question that has options. */
export async function askUser(params: ToolRequestUserInputParams, asker: Asker): Promise<ToolRequestUserInputResponse> {
  const { questions } = params;
  if (questions.some(({ isSecret }) => isSecret === true)) throw invalidRequest("this editor cannot be asked for secrets");
  if (asker.capabilities.elicitation?.form) return await askByForm(params, asker);
  const answers: ToolRequestUserInputResponse["answers"] = {};
  for (const question of questions) {
    const chosen = await askByDialogue(question, params.itemId, asker);
    if (chosen !== undefined) answers[question.id] = { answers: [chosen] };
  }
  return { answers };
}

async function askByForm(params: ToolRequestUserInputParams, asker: Asker): Promise<ToolRequestUserInputResponse> {
  const { questions } = params;
  const answer = await asker.elicit({
    mode: "form",
    sessionId: asker.sessionId,
    toolCallId: params.itemId,
    message: questions.map(({ question }) => question).join("\n"),
    requestedSchema: {
      type: "object",
      properties: Object.fromEntries(questions.map((question) => [question.id, fieldFor(question)])),
      required: questions.map(({ id }) => id),
    },
  });
  const content = answer.action === "accept" ? ((answer.content ?? {}) as Record<string, unknown>) : {};
  const given = questions.flatMap(({ id }): [string, { answers: string[] }][] => {
    const value = Object.hasOwn(content, id) ? content[id] : undefined;
    const texts = (Array.isArray(value) ? value : [value]).filter((text) => typeof text === "string");
    return texts.length === 0 ? [] : [[id, { answers: texts }]];
  });
  return { answers: Object.fromEntries(given) };
}

function fieldFor({ header, question, options, isOther, multiple }: ToolRequestUserInputQuestion): ElicitationPropertySchema {
  const choices = (options ?? []).map(({ label, description }) => ({ const: label, title: label, description }));
  const about = { title: header, description: question };
  if (choices.length === 0) return { type: "string", ...about };
  if (multiple === true) return { type: "array", ...about, items: { anyOf: choices } };
  if (isOther !== true) return { type: "string", ...about, oneOf: choices };
  return { type: "string", ...about, description: [question, ...choices.map((c) => `${c.title}: ${c.description}`)].join("\n") };
}

const refusals = /^(decline|cancel|no|reject|deny)\b/i;

async function askByDialogue(question: ToolRequestUserInputQuestion, itemId: string, asker: Asker): Promise<string | undefined> {
  const labels = (question.options ?? []).map(({ label }) => label);
  if (labels.length === 0) throw invalidRequest("this editor has no way to ask for free text");
  const options = labels.map(
    (label): PermissionOption => ({ optionId: label, name: label, kind: refusals.test(label) ? "reject_once" : "allow_once" }),
  );
  const toolCall: ToolCallUpdate = {
    toolCallId: itemId,
    title: question.question,
    status: "pending",
    content: textContent(question.question),
  };
  const chosen = await choose(asker, toolCall, options);
  return labels.includes(chosen) ? chosen : undefined;
}

/** Forwards a question of an MCP server unchanged, with the server's name. */
export async function passOn(params: McpServerElicitationRequestParams, asker: Asker): Promise<McpServerElicitationRequestResponse> {
  const { elicitation } = asker.capabilities;
  const about = { sessionId: asker.sessionId, message: `${params.serverName}: ${"message" in params ? params.message : params.title}` };
  if (params.mode === "form" && elicitation?.form)
    return answerFrom(await asker.elicit({ ...about, mode: "form", requestedSchema: params.requestedSchema as ElicitationSchema }));
  if (params.mode === "url" && elicitation?.url)
    return answerFrom(await asker.elicit({ ...about, mode: "url", url: params.url, elicitationId: params.elicitationId }));
  throw invalidRequest(`this editor cannot show a question of kind ${params.mode}`);
}

function answerFrom(answer: CreateElicitationResponse): McpServerElicitationRequestResponse {
  if (answer.action === "accept") return { action: "accept", content: answer.content ?? null };
  return { action: answer.action === "cancel" ? "cancel" : "decline" };
}
