/** The settings a thread has now, as plain frozen data. Core's `settings` room says how they change. */
import type { ApprovalsReviewer, AskForApproval, Personality, ReasoningSummary, SandboxPolicy } from "../../protocol/policy.ts";

export interface ThreadSettings {
  readonly cwd: string;
  /** The session's folders; cwd is the first. */
  readonly workspaceRoots: readonly string[];
  /** False where the client gave the thread no machine to work on: no commands, no files. */
  readonly hasMachine?: boolean;
  readonly model: string;
  readonly modelProvider: string;
  readonly effort: string | null;
  readonly summary: ReasoningSummary | null;
  readonly verbosity: string | null;
  readonly serviceTier: string | null;
  readonly approvalPolicy: AskForApproval;
  readonly approvalsReviewer: ApprovalsReviewer;
  readonly sandboxPolicy: SandboxPolicy;
  /** The permission profile that the sandbox policy came from, when it was chosen by one. */
  readonly permissionProfile?: string | null;
  readonly personality: Personality | null;
  /** Plan or default; older names were mapped at the door. */
  readonly mode: "plan" | "default";
  /** Pair programming of older clients: Default, and the model may put questions as in Plan. */
  readonly isPairing?: boolean;
  /** Instructions that the collaboration mode brings. */
  readonly modeInstructions: string | null;
  readonly baseInstructions: string | null;
  readonly developerInstructions: string | null;
}

/** Which model is asked, and where. */
export type ModelChoice = Pick<ThreadSettings, "model" | "modelProvider">;
