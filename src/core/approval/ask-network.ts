/** Whether a tool of our own may reach a host: what the sandbox allows commands, it may too; else a person is asked, for each host. */

import type { ThreadItem } from "../../protocol/item.ts";
import type { AuditSubject } from "../ports/audit.ts";
import type { NetworkAction, ToolContext, ToolOutput } from "../ports/tool.ts";
import { failed } from "../ports/tool.ts";
import type { ThreadSettings } from "../settings/settings.ts";
import type { LiveTurn } from "../turn/live-turn.ts";
import { decisionFrom, mayAsk } from "./approvals.ts";
import { policyName } from "./ask-command.ts";

export async function runNetwork(action: NetworkAction, context: ToolContext, turn: LiveTurn): Promise<ToolOutput> {
  const { audit } = turn.thread.ports;
  const entry: AuditSubject = {
    threadId: turn.thread.id,
    turnId: turn.id,
    itemId: context.callId,
    kind: "network",
    subject: action.url.href,
    cwd: turn.settings.cwd,
  };
  const { approvalPolicy } = turn.settings;
  const isOpen = hasNetwork(turn.settings) && approvalPolicy !== "untrusted";
  if (!isOpen && !mayAsk(approvalPolicy, "sandbox")) {
    await audit.write({ ...entry, event: "decided", decision: "refusedByPolicy", by: policyName(turn) });
    return failed("the sandbox has no network, and the approval policy allows no questions; go on without the page");
  }
  const item: ThreadItem = {
    type: "webSearch",
    id: context.callId,
    query: action.url.href,
    action: { type: "openPage", url: action.url.href },
  };
  turn.startItem(item);
  const granted = isOpen || (await isAllowed(action.url, entry, turn));
  if (isOpen) await audit.write({ ...entry, event: "decided", decision: "allowedByPolicy", by: policyName(turn) });
  try {
    if (granted) return await action.run(context);
  } finally {
    await turn.completeItem(item);
  }
  turn.signal.throwIfAborted();
  return failed(`the person does not want ${action.url.host} to be reached`);
}

const hasNetwork = ({ sandboxPolicy }: ThreadSettings): boolean =>
  sandboxPolicy.type === "dangerFullAccess" || sandboxPolicy.networkAccess === true || sandboxPolicy.networkAccess === "enabled";

async function isAllowed(url: URL, entry: AuditSubject, turn: LiveTurn): Promise<boolean> {
  const { thread } = turn;
  const { audit, clock } = thread.ports;
  if (thread.grants.coversHost(url.host)) {
    await audit.write({ ...entry, event: "decided", decision: "acceptForSession", by: "session grant" });
    return true;
  }
  await audit.write({ ...entry, event: "requested" });
  const answer = await turn.ask("item/commandExecution/requestApproval", {
    kind: "command",
    threadId: thread.id,
    turnId: turn.id,
    itemId: entry.itemId,
    startedAtMs: clock.now(),
    environmentId: "local",
    reason: `the agent wants to read a page of ${url.host}`,
    command: `web_fetch ${url.href}`,
    cwd: turn.settings.cwd,
    commandActions: [],
    networkApprovalContext: { host: url.host, protocol: url.protocol === "http:" ? "http" : "https" },
    proposedExecpolicyAmendment: null,
    availableDecisions: ["accept", "acceptForSession", "decline", "cancel"],
    parsedCmd: { command: "web_fetch", args: [url.href], cwd: turn.settings.cwd },
    risk: "high",
    outsideSandbox: false,
  });
  const decision = decisionFrom(answer);
  const by = answer.kind === "answered" || answer.kind === "refused" ? answer.by : answer.kind;
  const isYes = decision.kind === "accept";
  const word = isYes ? (decision.forSession ? "acceptForSession" : "accept") : decision.kind;
  await audit.write({ ...entry, event: "decided", decision: word, by });
  if (isYes && decision.forSession) thread.grants.grantHost(url.host);
  if (decision.kind === "cancel") turn.interrupt();
  if (decision.kind === "decline" && decision.because !== undefined)
    turn.notify("warning", { threadId: thread.id, message: decision.because });
  return isYes;
}
