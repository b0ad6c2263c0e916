/** Whether a built-in tool may reach a host: allowed where the sandbox allows it to commands; otherwise a person is asked for each host. */

import { canonicalHost, hostMatcher } from "../../lib/host-pattern.ts";
import type { ThreadItem } from "../../protocol/item.ts";
import type { ItemSink } from "../hooks/hooked.ts";
import { type Settled, sessionGrant } from "../ports/approval.ts";
import type { NetworkRules } from "../ports/network-access.ts";
import { networkRulesOf } from "../ports/network-rules.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import type { NetworkAction, ToolContext, ToolOutput } from "../ports/tool.ts";
import { failed } from "../ports/tool.ts";
import type { ApprovalTurn } from "./approval-turn.ts";
import { approve, auditSubject, policyName, settle } from "./approve.ts";
import { mayAsk } from "./command-rules.ts";
import { decisionFrom } from "./decision.ts";
import { type NetworkQuestion, networkQuestion } from "./network-question.ts";

export async function runNetwork(
  action: NetworkAction,
  context: ToolContext,
  turn: ApprovalTurn & { readonly items: ItemSink },
): Promise<ToolOutput> {
  const { approvalPolicy } = turn.settings;
  const { callId } = context;
  const about = { kind: "network", subject: action.url.href, cwd: turn.settings.cwd } as const;
  const byRules = ruledBy(action.url, networkRulesOf(turn.settings, turn.thread.config));
  if (byRules === "refused") {
    await settle(turn, auditSubject(turn, callId, about), { decision: "refusedByPolicy", by: turn.settings.permissionProfile ?? "hosts" });
    return failed(`the sandbox may not reach ${action.url.host}; go on without the page`);
  }
  const isOpen = (byRules === "allowed" || (byRules === undefined && hasNetwork(turn.settings))) && approvalPolicy !== "untrusted";
  if (!isOpen && !mayAsk(approvalPolicy, "sandbox")) {
    await settle(turn, auditSubject(turn, callId, about), { decision: "refusedByPolicy", by: policyName(turn) });
    return failed("the sandbox has no network, and the approval policy allows no questions; go on without the page");
  }
  const item: ThreadItem = {
    type: "webSearch",
    id: callId,
    query: action.url.href,
    action: { type: "openPage", url: action.url.href },
  };
  turn.items.start(item);
  const { host } = action.url;
  const { grants } = turn.thread;
  const byPolicy: Settled | undefined = isOpen ? { decision: "allowedByPolicy", by: policyName(turn) } : undefined;
  const ruling = await approve(turn, callId, {
    about,
    // Hooks see every network question as a question about a command.
    hooked: {
      ...{ name: "Bash", aliases: ["web_fetch"] },
      input: { command: `web_fetch ${action.url.href}`, description: `network-access ${host}` },
    },
    settled: byPolicy ?? (grants.coversHost(host) ? sessionGrant : undefined),
    ask: () => turn.ask("item/commandExecution/requestApproval", networkQuestion(question(action.url, callId, turn), turn)),
    read: (answer) => decisionFrom(answer),
    grant: ({ forSession }) => {
      if (forSession) grants.grantHost(host);
    },
  });
  try {
    if (ruling.allows) {
      await turn.questions.begin(callId);
      return await action.run(context);
    }
  } finally {
    await turn.items.complete(item);
  }
  turn.signal.throwIfAborted();
  if (ruling.by === "review") return failed(`${host}: ${ruling.text ?? "not approved"}`);
  if (ruling.by === "hook")
    return failed(`a hook does not want ${host} to be reached${ruling.text === undefined ? "" : `: ${ruling.text}`}`);
  return failed(`the person does not want ${host} to be reached`);
}

/** What the rules for commands say about a host; undefined where there are none. */
function ruledBy({ hostname }: URL, rules: NetworkRules | undefined): "allowed" | "refused" | "unnamed" | undefined {
  if (rules === undefined) return undefined;
  const host = canonicalHost(hostname) ?? hostname;
  if (hostMatcher(rules.deny)(host)) return "refused";
  if (hostMatcher(rules.allow)(host)) return "allowed";
  return rules.isClosed ? "refused" : "unnamed";
}

const hasNetwork = ({ sandboxPolicy }: ThreadSettings): boolean =>
  sandboxPolicy.type === "dangerFullAccess" || sandboxPolicy.networkAccess === true || sandboxPolicy.networkAccess === "enabled";

const question = (url: URL, itemId: string, turn: ApprovalTurn): NetworkQuestion => ({
  itemId,
  target: { host: url.host, protocol: url.protocol === "http:" ? "http" : "https" },
  reason: `the agent wants to read a page of ${url.host}`,
  command: `web_fetch ${url.href}`,
  cwd: turn.settings.cwd,
  call: { command: "web_fetch", args: [url.href] },
  offersRule: false, // rules are about what commands reach
});
