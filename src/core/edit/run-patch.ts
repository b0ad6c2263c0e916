/** Carries out a patch: what it would do, the person's word, the change itself, and the turn's diff after it. */
import type { ThreadItem } from "../../protocol/item.ts";
import { decisionFrom } from "../approval/approvals.ts";
import { policyName } from "../approval/ask-command.ts";
import { decidedByHook } from "../hooks/tool-use.ts";
import { applyPlan } from "../patch/apply.ts";
import { patchOutput } from "../patch/file-changes.ts";
import { decidePatch, type PatchPlan, planPatch, reachOf } from "../patch/plan.ts";
import { writeScope } from "../patch/reach.ts";
import type { AuditSubject } from "../ports/audit.ts";
import { failed, type PatchAction, type ToolOutput } from "../ports/tool.ts";
import type { LiveTurn } from "../turn/live-turn.ts";
import { problemsIn } from "./diagnostics.ts";

type FileChangeItem = Extract<ThreadItem, { type: "fileChange" }>;

export async function runPatch(action: PatchAction, callId: string, turn: LiveTurn): Promise<ToolOutput> {
  const { ports } = turn.thread;
  const scope = await writeScope(turn.settings, { ...ports.places, protectedNames: turn.thread.config.protectedNames }, ports.workspace);
  const plan = await planPatch("patch" in action ? action.patch : action.changes, action.cwd, ports.workspace, scope);
  if ("failed" in plan) return failed(plan.failed);
  const decision = decidePatch(reachOf(plan, scope), turn.settings.approvalPolicy);
  const item: FileChangeItem = { type: "fileChange", id: callId, changes: [...plan.changes], status: "inProgress" };
  if (decision.kind === "refuse") {
    await ports.audit.write({ ...about(plan, callId, turn), event: "decided", decision: "refusedByPolicy", by: policyName(turn) });
    return failed(decision.text);
  }
  turn.startItem(item);
  if (decision.kind === "ask" && !(await askAboutPatch(plan, { reason: decision.reason, item, action }, turn))) {
    await turn.completeItem({ ...item, status: "declined" });
    turn.signal.throwIfAborted();
    return failed("patch rejected by user");
  }
  if (decision.kind === "apply")
    await ports.audit.write({ ...about(plan, callId, turn), event: "decided", decision: "allowedByPolicy", by: policyName(turn) });
  return await apply(plan, item, turn);
}

async function apply(plan: PatchPlan, item: FileChangeItem, turn: LiveTurn): Promise<ToolOutput> {
  const { thread } = turn;
  const startedAt = thread.ports.clock.now();
  const files = await turn.files();
  const applied = await applyPlan(plan, thread.ports.workspace, files);
  const text = applied.ok ? applied.stdout : applied.failed;
  turn.noteOutcome(about(plan, item.id, turn), applied.ok ? "applied" : `failed: ${applied.failed}`);
  turn.notify("item/fileChange/outputDelta", { threadId: thread.id, turnId: turn.id, itemId: item.id, delta: text });
  await turn.completeItem({ ...item, status: applied.ok ? "completed" : "failed" });
  const diff = await files.diff();
  // A patch that failed has put everything back, unless something stood in its way.
  if (applied.ok || diff !== turn.toldDiff) turn.notify("turn/diff/updated", { threadId: thread.id, turnId: turn.id, diff });
  turn.toldDiff = diff;
  const output = patchOutput(applied.ok ? 0 : 1, thread.ports.clock.now() - startedAt, text);
  const problems = applied.ok ? await problemsIn(plan.touched, turn) : "";
  return { kind: "text", text: problems === "" ? output : `${output}${problems}\n`, success: applied.ok };
}

interface Asked {
  readonly reason: string | null;
  readonly item: FileChangeItem;
  readonly action: PatchAction;
}

async function askAboutPatch(plan: PatchPlan, { reason, item, action }: Asked, turn: LiveTurn): Promise<boolean> {
  const { thread } = turn;
  const { audit } = thread.ports;
  const entry = about(plan, item.id, turn);
  if (thread.grants.coversFiles(plan.touched)) {
    await audit.write({ ...entry, event: "decided", decision: "acceptForSession", by: "session grant" });
    return true;
  }
  const input = "patch" in action ? { command: action.patch, description: reason } : { changes: action.changes, description: reason };
  const byHook = await decidedByHook(turn, entry, { name: "apply_patch", aliases: ["Write", "Edit"], input });
  if (byHook !== undefined) return byHook.allows;
  await audit.write({ ...entry, event: "requested" });
  const answer = await turn.ask("item/fileChange/requestApproval", {
    threadId: thread.id,
    turnId: turn.id,
    itemId: item.id,
    startedAtMs: thread.ports.clock.now(),
    reason,
    grantRoot: null,
    changes: item.changes.map((change) => ({ ...change, type: change.kind.type, summary: summaryOf(change) })),
  });
  const decision = decisionFrom(answer);
  const by = answer.kind === "answered" || answer.kind === "refused" ? answer.by : answer.kind;
  if (decision.kind !== "accept") {
    await audit.write({ ...entry, event: "decided", decision: decision.kind, by });
    if (decision.kind === "cancel") turn.interrupt();
    else if (decision.because !== undefined) turn.notify("warning", { threadId: thread.id, message: decision.because });
    return false;
  }
  await audit.write({ ...entry, event: "decided", decision: decision.forSession ? "acceptForSession" : "accept", by });
  if (decision.forSession) thread.grants.grantFiles(plan.touched);
  return true;
}

function about(plan: PatchPlan, itemId: string, turn: LiveTurn): AuditSubject {
  return {
    threadId: turn.thread.id,
    turnId: turn.id,
    itemId,
    kind: "fileChange",
    subject: plan.touched.join("\n"),
    cwd: turn.settings.cwd,
  };
}

/** A line a person can decide by: what happens to the file, and how much of it. */
function summaryOf({ kind, diff }: FileChangeItem["changes"][number]): string {
  if (kind.type === "add") return `new file, ${diff.split("\n").length - 1} lines`;
  if (kind.type === "delete") return "deleted";
  const count = (sign: string): number =>
    diff.split("\n").filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;
  const moved = kind.move_path ? `moved to ${kind.move_path}, ` : "";
  return `${moved}+${count("+")} -${count("-")}`;
}
