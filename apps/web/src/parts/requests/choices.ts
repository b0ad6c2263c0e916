/** The possible answers to each kind of request, and the protocol result for each answer. */
import type { PendingRequest } from "../../state/model.ts";
import { spelledLine, spelledOut } from "./spelled.ts";

export interface Choice {
  readonly id: string;
  readonly label: string;
  readonly tone: "accept" | "grant" | "decline" | "stop" | "quiet";
  /** The single key that picks it while the card has the focus. */
  readonly key: string | null;
  /** What exactly will be remembered, for choices that apply more than once. */
  readonly detail: string | null;
  /** It creates a permanent rule, which not every device may do. */
  readonly isRule?: boolean;
  /** Before answering, this tool is allowed in the user's settings. */
  readonly allowsTool?: McpToolCall;
  /** Sent to the engine unchanged. */
  readonly response: unknown;
}

type Details = Readonly<Record<string, unknown>>;
export const detailsOf = (request: PendingRequest): Details => (isRecord(request.details) ? request.details : {});
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const stringOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

export function choicesFor(request: PendingRequest): readonly Choice[] {
  const details = detailsOf(request);
  switch (request.method) {
    case "item/commandExecution/requestApproval":
      return decisions(details, ["accept", "acceptForSession", "decline", "cancel"], (decision) => ({ decision }));
    case "item/fileChange/requestApproval":
      return decisions(details, ["accept", "acceptForSession", "decline", "cancel"], (decision) => ({ decision }));
    case "execCommandApproval":
    case "applyPatchApproval":
      return decisions(details, ["approved", "approved_for_session", "denied", "abort"], (decision) => ({ decision }));
    case "item/permissions/requestApproval":
      return permissionChoices(details);
    case "item/tool/requestUserInput":
      return mcpToolChoices(request);
    default:
      return [];
  }
}

export interface McpToolCall {
  readonly server: string;
  readonly tool: string;
  readonly title: string | null;
  readonly arguments: unknown;
  /** The server is configured by the project: nothing about it can be stored in the user's settings. */
  readonly ofProject: boolean;
}

/** The call in question, if the engine asks whether a tool of an MCP server may run. Models cannot ask such questions. */
export function mcpToolCall(request: PendingRequest): McpToolCall | undefined {
  const call = detailsOf(request)["mcpToolCall"];
  if (!isRecord(call) || typeof call["server"] !== "string" || typeof call["tool"] !== "string") return undefined;
  const { server, tool } = call;
  return { server, tool, title: stringOf(call["title"]), arguments: call["arguments"], ofProject: call["ofProject"] === true };
}

/** The engine uses options that an older client can show; each answer is the option's label. */
const mcpTexts: Readonly<Record<string, Described>> = {
  Accept: { id: "accept", label: "Allow once", tone: "accept", key: "y", detail: null },
  "Accept for this session": { id: "acceptForSession", label: "Allow for session", tone: "grant", key: "s", detail: null },
  Decline: { id: "decline", label: "Decline", tone: "decline", key: "n", detail: null },
  Cancel: { id: "cancel", label: "Cancel", tone: "quiet", key: null, detail: null },
};

function mcpToolChoices(request: PendingRequest): readonly Choice[] {
  const call = mcpToolCall(request);
  const [question] = Array.isArray(request.questions) ? request.questions : [];
  if (call === undefined || !isRecord(question) || !Array.isArray(question["options"])) return [];
  const answer = (label: string) => ({ answers: { [String(question["id"])]: { answers: [label] } } });
  return question["options"].filter(isRecord).flatMap((option): Choice[] => {
    const label = String(option["label"]);
    const known = mcpTexts[label] ?? { id: label, label, tone: "decline", key: null, detail: null };
    const choice: Choice = { ...known, response: answer(label) };
    if (known.id !== "acceptForSession") return [choice];
    const granted = { ...choice, detail: `${call.tool} is not asked about again in this session.` };
    return call.ofProject ? [granted] : [granted, { ...always(call), response: choice.response }];
  });
}

const always = (call: McpToolCall): Described & Pick<Choice, "allowsTool"> => ({
  id: "always",
  label: "Always allow",
  tone: "grant",
  key: "r",
  detail: `${call.tool} of ${call.server} runs unasked from now on, in every session.`,
  isRule: true,
  allowsTool: call,
});

function decisions(details: Details, usual: readonly unknown[], wrap: (decision: unknown) => unknown): readonly Choice[] {
  const offered = details["availableDecisions"];
  const all: readonly unknown[] = Array.isArray(offered) && offered.length > 0 ? offered : usual;
  // A rule for one part of `a && b` would be labelled "always" and yet ask again the next time.
  const list = details["amendmentCoversAll"] === false ? all.filter((one) => !isRuleForCommands(one)) : all;
  return list.map((decision, index) => ({ ...describeDecision(decision, details, index), response: wrap(decision) }));
}

const isRuleForCommands = (decision: unknown): boolean => isRecord(decision) && "acceptWithExecpolicyAmendment" in decision;

type Described = Omit<Choice, "response">;
const descriptions: Readonly<Record<string, Described>> = {
  accept: { id: "accept", label: "Allow once", tone: "accept", key: "y", detail: null },
  acceptForSession: { id: "acceptForSession", label: "Allow for session", tone: "grant", key: "s", detail: null },
  decline: { id: "decline", label: "Decline", tone: "decline", key: "n", detail: null },
  cancel: { id: "cancel", label: "Stop turn", tone: "stop", key: null, detail: null },
  approved: { id: "approved", label: "Allow once", tone: "accept", key: "y", detail: null },
  approved_for_session: { id: "approved_for_session", label: "Allow for session", tone: "grant", key: "s", detail: null },
  denied: { id: "denied", label: "Decline", tone: "decline", key: "n", detail: null },
  abort: { id: "abort", label: "Stop turn", tone: "stop", key: null, detail: null },
};

function describeDecision(decision: unknown, details: Details, index: number): Described {
  if (typeof decision === "string") {
    const known = descriptions[decision];
    if (known !== undefined) return decision === "acceptForSession" ? { ...known, ...sessionGrant(details) } : known;
    return { id: decision, label: spelledLine(spaced(decision)), tone: "decline", key: null, detail: null };
  }
  if (isRecord(decision)) {
    const rule = decision["acceptWithExecpolicyAmendment"];
    if (isRecord(rule)) return ruleChoice(rule["execpolicy_amendment"], details["outsideSandbox"] === true);
    const network = decision["applyNetworkPolicyAmendment"];
    if (isRecord(network)) return hostChoice(network["network_policy_amendment"], index);
    const [name] = Object.keys(decision);
    return {
      id: `${name}-${index}`,
      label: spelledLine(spaced(name ?? "Other")),
      tone: "grant",
      key: null,
      detail: spelledOut(JSON.stringify(decision)),
    };
  }
  return { id: `choice-${index}`, label: spelledLine(String(decision)), tone: "decline", key: null, detail: null };
}

function sessionGrant(details: Details): Partial<Described> {
  const root = stringOf(details["grantRoot"]);
  return root === null ? {} : { detail: `Changes under ${spelledLine(root)} are not asked about again in this session.` };
}

function ruleChoice(amendment: unknown, outside: boolean): Described {
  const prefix = Array.isArray(amendment) ? amendment.map(String) : [];
  const text = spelledLine(prefix.map(shellQuoted).join(" "));
  return {
    id: `rule:${text}`,
    label: "Always allow",
    tone: "grant",
    key: "r",
    detail: `Commands that start with: ${text}${outside ? ", outside the sandbox too" : ""}`,
    isRule: true,
  };
}

function hostChoice(amendment: unknown, index: number): Described {
  const host = isRecord(amendment) ? spelledLine(stringOf(amendment["host"]) ?? "?") : "?";
  const deny = isRecord(amendment) && amendment["action"] === "deny";
  return {
    id: `host-${index}`,
    label: deny ? `Always block ${host}` : `Always allow ${host}`,
    tone: deny ? "decline" : "grant",
    key: deny ? null : "r",
    isRule: true,
    detail: deny ? `Connections to ${host} are refused from now on.` : `Connections to ${host} are not asked about again.`,
  };
}

function permissionChoices(details: Details): readonly Choice[] {
  const permissions = details["permissions"] ?? {};
  return [
    { id: "turn", label: "Grant for this turn", tone: "accept", key: "y", detail: null, response: { permissions, scope: "turn" } },
    { id: "session", label: "Grant for this session", tone: "grant", key: "s", detail: null, response: { permissions, scope: "session" } },
    { id: "decline", label: "Decline", tone: "decline", key: "n", detail: null, response: { permissions: {}, scope: "turn" } },
  ];
}

/** An argument quoted for a shell, for display. */
export const shellQuoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

const spaced = (name: string): string => {
  const text = name
    .replace(/[_-]/g, " ")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** How an answer is shown afterwards. */
export function outcomeLabel(decision: unknown): string {
  if (typeof decision === "string") {
    if (["accept", "approved", "success", "turn"].includes(decision)) return "Allowed";
    if (["acceptForSession", "approved_for_session", "session"].includes(decision)) return "Allowed for the session";
    if (["decline", "denied"].includes(decision)) return "Declined";
    if (["cancel", "abort"].includes(decision)) return "Stopped";
    if (decision === "failure") return "Answered as failed";
    return spaced(decision);
  }
  if (isRecord(decision)) {
    if ("acceptWithExecpolicyAmendment" in decision) return "Always allowed";
    if ("applyNetworkPolicyAmendment" in decision) return "Network rule added";
  }
  return "Answered";
}
