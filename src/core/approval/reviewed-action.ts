/** An approval request as the automatic reviewer and clients see it. */
import type { GuardianApprovalReviewAction } from "../../protocol/approval-review.ts";
import type { ApprovalRequest } from "../ports/approval.ts";
import type { ReviewedAction } from "../ports/approval-review.ts";
import type { ApprovalTurn } from "./approval-turn.ts";
import { writeAccess } from "./grants.ts";

export function reviewedAction(request: ApprovalRequest, turn: ApprovalTurn): ReviewedAction {
  const { about, hooked, sandboxed } = request;
  const cwd = about.cwd ?? turn.settings.cwd;
  const planned = {
    kind: about.kind,
    tool: hooked?.name ?? about.kind,
    subject: about.subject,
    cwd,
    ...(sandboxed === undefined ? {} : { leaves_the_sandbox: !sandboxed }),
    input: hooked?.input ?? null,
  };
  return { shown: shownAs(request, cwd), text: JSON.stringify(planned) };
}

function shownAs({ about, hooked }: ApprovalRequest, cwd: string): GuardianApprovalReviewAction {
  switch (about.kind) {
    case "fileChange":
      return { type: "applyPatch", cwd, files: about.subject.split("\n") };
    case "network":
      return networkAccess(about.subject);
    case "mcpToolCall": {
      const [server = "", ...tool] = (hooked?.name ?? "").replace(/^mcp__/, "").split("__");
      return { type: "mcpToolCall", server, toolName: tool.join("__"), connectorId: null, connectorName: null, toolTitle: null };
    }
    case "permissions":
      return { type: "requestPermissions", reason: null, permissions: permissionsIn(about.subject) };
    default:
      return { type: "command", source: "unifiedExec", command: about.subject, cwd };
  }
}

function networkAccess(target: string): GuardianApprovalReviewAction {
  const url = URL.canParse(target) ? new URL(target) : undefined;
  const protocol = url?.protocol === "http:" ? "http" : url?.protocol === "socks5-tcp:" ? "socks5Tcp" : "https";
  const port = Number(url?.port) || (protocol === "http" ? 80 : 443);
  return { type: "networkAccess", target, host: url?.hostname ?? target, protocol, port };
}

function permissionsIn(subject: string) {
  const lines = subject.split("\n").filter((line) => line !== "");
  const write = lines.filter((line) => line !== "network");
  return {
    fileSystem: writeAccess(write),
    network: lines.includes("network") ? { enabled: true } : null,
  };
}
