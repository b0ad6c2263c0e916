/** The settings a thread has now: config defaults, changed by thread/start, turn/start and thread/settings/update. Plain frozen data. */
import type { ApprovalsReviewer, AskForApproval, Personality, ReasoningSummary, SandboxPolicy } from "../protocol/policy.ts";

export interface ThreadSettings {
  readonly cwd: string;
  /** The session's folders; cwd is the first. */
  readonly workspaceRoots: readonly string[];
  readonly model: string;
  readonly modelProvider: string;
  readonly effort: string | null;
  readonly summary: ReasoningSummary | null;
  readonly verbosity: string | null;
  readonly serviceTier: string | null;
  readonly approvalPolicy: AskForApproval;
  readonly approvalsReviewer: ApprovalsReviewer;
  readonly sandboxPolicy: SandboxPolicy;
  readonly personality: Personality | null;
  /** Plan or default; older names were mapped at the door. */
  readonly mode: "plan" | "default";
  /** Instructions that the collaboration mode brings. */
  readonly modeInstructions: string | null;
  readonly baseInstructions: string | null;
  readonly developerInstructions: string | null;
}
