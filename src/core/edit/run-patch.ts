/** Applies a patch: planning, approval, the change itself, and the turn's diff afterwards. */
import type { FileChangeRequestApprovalParams } from "../../protocol/approval.ts";
import type { ThreadItem } from "../../protocol/item.ts";
import { approve, auditSubject, policyName, refusalOf, settle } from "../approval/approve.ts";
import { decisionFrom } from "../approval/decision.ts";
import { applyPlan } from "../patch/apply.ts";
import { patchOutput } from "../patch/file-changes.ts";
import { decidePatch, type PatchDecision, type PatchPlan, planPatch, reachOf } from "../patch/plan.ts";
import { writeScope } from "../patch/reach.ts";
import { type ApprovalRequest, type Ruling, type Settled, sessionGrant } from "../ports/approval.ts";
import type { AuditSubject } from "../ports/audit.ts";
import { failed, type PatchAction, type ToolOutput } from "../ports/tool.ts";
import { problemsIn } from "./diagnostics.ts";
import type { EditTurn } from "./edit-turn.ts";

type FileChangeItem = Extract<ThreadItem, { type: "fileChange" }>;

export async function runPatch(action: PatchAction, callId: string, turn: EditTurn): Promise<ToolOutput> {
  const { ports } = turn.thread;
  const scope = await writeScope(turn.settings, { ...ports.places, protectedNames: turn.thread.config.protectedNames }, ports.workspace);
  const plan = await planPatch("patch" in action ? action.patch : action.changes, action.cwd, ports.workspace, scope);
  if ("failed" in plan) return failed(plan.failed);
  const decision = decidePatch(reachOf(plan, scope), turn.settings.approvalPolicy);
  const item: FileChangeItem = { type: "fileChange", id: callId, changes: [...plan.changes], status: "inProgress" };
  if (decision.kind === "refuse") {
    await settle(turn, audited(plan, callId, turn), { decision: "refusedByPolicy", by: policyName(turn) });
    return failed(decision.text);
  }
  turn.items.start(item);
  const ruling = await mayApply(plan, { decision, item, action }, turn);
  if (!ruling.allows) {
    const { status, text } = refusalOf(ruling);
    await turn.items.complete({ ...item, status });
    turn.signal.throwIfAborted();
    return failed(`patch ${text}`);
  }
  return await apply(plan, item, turn);
}

async function apply(plan: PatchPlan, item: FileChangeItem, turn: EditTurn): Promise<ToolOutput> {
  const { thread } = turn;
  const startedAt = thread.ports.clock.now();
  const files = await turn.edits.files();
  await turn.questions.begin(item.id);
  const applied = await applyPlan(plan, thread.ports.workspace, files);
  const text = applied.ok ? applied.stdout : applied.failed;
  turn.outcomes.note(audited(plan, item.id, turn), applied.ok ? "applied" : `failed: ${applied.failed}`);
  turn.notify("item/fileChange/outputDelta", { threadId: thread.id, turnId: turn.id, itemId: item.id, delta: text });
  await turn.items.complete({ ...item, status: applied.ok ? "completed" : "failed" });
  const diff = await files.diff();
  // A failed patch has restored everything, unless something prevented it.
  if (applied.ok || diff !== turn.edits.announcedDiff) turn.notify("turn/diff/updated", { threadId: thread.id, turnId: turn.id, diff });
  turn.edits.announcedDiff = diff;
  const output = patchOutput(applied.ok ? 0 : 1, thread.ports.clock.now() - startedAt, text);
  const problems = applied.ok ? await problemsIn(plan.touched, turn) : "";
  return { kind: "text", text: problems === "" ? output : `${output}${problems}\n`, success: applied.ok };
}

interface Pending {
  readonly decision: Exclude<PatchDecision, { kind: "refuse" }>;
  readonly item: FileChangeItem;
  readonly action: PatchAction;
}

async function mayApply(plan: PatchPlan, { decision, item, action }: Pending, turn: EditTurn): Promise<Ruling> {
  const { grants } = turn.thread;
  const about = aboutPatch(plan, turn);
  const byPolicy: Settled | undefined = decision.kind === "apply" ? { decision: "allowedByPolicy", by: policyName(turn) } : undefined;
  const reason = decision.kind === "apply" ? null : decision.reason;
  return await approve(turn, item.id, {
    about,
    settled: byPolicy ?? (grants.coversFiles(plan.touched) ? sessionGrant : undefined),
    hooked: {
      name: "apply_patch",
      aliases: ["Write", "Edit"],
      input: "patch" in action ? { command: action.patch, description: reason } : { changes: action.changes, description: reason },
    },
    ask: () => turn.ask("item/fileChange/requestApproval", question(item, reason, turn)),
    read: (answer) => decisionFrom(answer),
    grant: ({ forSession }) => {
      if (forSession) grants.grantFiles(plan.touched);
    },
  });
}

const question = (item: FileChangeItem, reason: string | null, turn: EditTurn): FileChangeRequestApprovalParams => ({
  threadId: turn.thread.id,
  turnId: turn.id,
  itemId: item.id,
  startedAtMs: turn.thread.ports.clock.now(),
  reason,
  grantRoot: null,
  changes: item.changes.map((change) => ({ ...change, type: change.kind.type, summary: summaryOf(change) })),
});

const aboutPatch = (plan: PatchPlan, turn: EditTurn): ApprovalRequest["about"] => ({
  kind: "fileChange",
  subject: plan.touched.join("\n"),
  cwd: turn.settings.cwd,
});
const audited = (plan: PatchPlan, itemId: string, turn: EditTurn): AuditSubject => auditSubject(turn, itemId, aboutPatch(plan, turn));

/** A one-line summary for the person who decides: what happens to the file, and how much of it. */
function summaryOf({ kind, diff }: FileChangeItem["changes"][number]): string {
  if (kind.type === "add") return `new file, ${diff.split("\n").length - 1} lines`;
  if (kind.type === "delete") return "deleted";
  const count = (sign: string): number =>
    diff.split("\n").filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;
  const moved = kind.move_path ? `moved to ${kind.move_path}, ` : "";
  return `${moved}+${count("+")} -${count("-")}`;
}
