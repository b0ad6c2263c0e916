/** Checks an answer against its request: it may contain only what was offered, and only callers with the scope for rules may create one. */
import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../lib/is-record.ts";
import type { Outcome } from "../sessions/answers.ts";
import type { PendingRequest } from "../sessions/records.ts";
import { allows } from "./access.ts";
import type { Scope } from "./api/define.ts";
import { failure, invalid } from "./problems.ts";

/** The scope of the rules' own routes. */
const ruleScope: Scope = "admin";

/** Throws a Problem that lists the allowed answers; the request then stays pending. */
export function checkOffered(request: PendingRequest, outcome: Outcome, scope: Scope): void {
  if ("error" in outcome) return;
  const details = isRecord(request.details) ? request.details : {};
  const { result } = outcome;
  if (request.kind === "command") checkDecision(result, details, { scope, isCommand: true });
  if (request.kind === "fileChange") checkDecision(result, details, { scope, isCommand: false });
  if (request.kind === "permissions") checkPermissions(result, details);
}

/** Refusing is always allowed. */
const refusals = ["decline", "cancel", "denied", "abort"];
const once = ["accept", "allow_once", "approved"];
const forSession = ["acceptForSession", "allow_session", "approved_for_session"];

type Details = Readonly<Record<string, unknown>>;

function checkDecision(result: unknown, details: Details, { scope, isCommand }: { scope: Scope; isCommand: boolean }): void {
  const decision = isRecord(result) ? result["decision"] : undefined;
  const settings = isRecord(result) ? result["acceptSettings"] : undefined;
  const available = Array.isArray(details["availableDecisions"]) ? details["availableDecisions"] : undefined;
  const isOffered = (value: string): boolean => available === undefined || available.includes(value);
  const wantsSession = forSession.includes(String(decision)) || (isRecord(settings) && settings["forSession"] === true);
  if (wantsSession && !isOffered("acceptForSession") && !isOffered("approved_for_session")) throw notOffered("for the whole session");
  if (typeof decision === "string" && [...refusals, ...once, ...forSession].includes(decision)) return;
  if (!isCommand || !isRecord(decision)) throw notOffered("this decision");
  if (![...(available ?? []), ...proposedIn(details)].some((offer) => isDeepStrictEqual(offer, decision))) throw notOffered("this rule");
  if (!allows(scope, ruleScope))
    throw failure(
      403,
      "scope",
      `A rule that lasts needs the scope ${ruleScope}; this device has ${scope}. It can allow this once or for the session.`,
    );
}

/** What engines propose in addition to, or instead of, the list of decisions. */
function proposedIn(details: Details): readonly unknown[] {
  const prefix = details["proposedExecpolicyAmendment"] ?? details["proposed_execpolicy_amendment"];
  const hosts = details["proposedNetworkPolicyAmendments"];
  return [
    ...(Array.isArray(prefix)
      ? [
          { acceptWithExecpolicyAmendment: { execpolicy_amendment: prefix } },
          { approved_execpolicy_amendment: { proposed_execpolicy_amendment: prefix } },
        ]
      : []),
    ...(Array.isArray(hosts) ? hosts.map((host: unknown) => ({ applyNetworkPolicyAmendment: { network_policy_amendment: host } })) : []),
  ];
}

/** Each granted list and switch must have been requested. */
function checkPermissions(result: unknown, details: Details): void {
  const granted = isRecord(result) ? result["permissions"] : undefined;
  if (!isRecord(granted)) throw invalid([{ path: "response.permissions", message: "missing field" }]);
  if (!isWithin(granted, details["permissions"])) throw notOffered("more than was asked for");
}

function isWithin(granted: unknown, asked: unknown): boolean {
  if (granted === undefined || granted === null || granted === false || isDeepStrictEqual(granted, asked)) return true;
  if (Array.isArray(granted)) return Array.isArray(asked) && granted.every((one) => asked.some((other) => isDeepStrictEqual(one, other)));
  if (!isRecord(granted)) return false;
  const inner = isRecord(asked) ? asked : {};
  return Object.entries(granted).every(([key, value]) => isWithin(value, Object.hasOwn(inner, key) ? inner[key] : undefined));
}

const notOffered = (what: string): Error =>
  invalid([
    { path: "decision", message: `${what} was not offered; expected accept, decline, cancel, or one of the request's availableDecisions` },
  ]);
