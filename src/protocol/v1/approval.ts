/** Approval requests in the form of clients before 0.56. Sent by adapters/v1. */
import { array, type Infer, literals, maybe, named, object, optional, record, string, union } from "../../lib/schema.ts";
import { request } from "../define.ts";
import { ThreadId } from "../policy.ts";

export const ExecCommandApprovalParams = named("v1.ExecCommandApprovalParams", () =>
  object({
    conversationId: ThreadId(),
    callId: string(),
    approvalId: maybe(string()),
    command: array(string()),
    cwd: string(),
    reason: maybe(string()),
    parsedCmd: array(ParsedCommand()),
  }),
);
export type ExecCommandApprovalParams = Infer<typeof ExecCommandApprovalParams>;

export const ExecCommandApprovalResponse = named("v1.ExecCommandApprovalResponse", () => object({ decision: ReviewDecision() }));
export type ExecCommandApprovalResponse = Infer<typeof ExecCommandApprovalResponse>;

export const ApplyPatchApprovalParams = named("v1.ApplyPatchApprovalParams", () =>
  object({
    conversationId: ThreadId(),
    callId: string(),
    fileChanges: record(FileChange()),
    reason: maybe(string()),
    grantRoot: maybe(string()),
  }),
);
export type ApplyPatchApprovalParams = Infer<typeof ApplyPatchApprovalParams>;

export const ApplyPatchApprovalResponse = named("v1.ApplyPatchApprovalResponse", () => object({ decision: ReviewDecision() }));
export type ApplyPatchApprovalResponse = Infer<typeof ApplyPatchApprovalResponse>;

export const ReviewDecision = named("v1.ReviewDecision", () =>
  union([
    literals("approved", "approved_for_session", "denied", "abort"),
    object({ approved_execpolicy_amendment: object({ proposed_execpolicy_amendment: array(string()) }) }),
  ]),
);
export type ReviewDecision = Infer<typeof ReviewDecision>;

/** A change of one file; the camelCase keys repeat the others for clients of the older document. */
export const FileChange = named("v1.FileChange", () =>
  union([
    object({ type: literals("add"), content: string() }),
    object({ type: literals("delete"), content: string() }),
    object({
      type: literals("update"),
      unified_diff: string(),
      move_path: maybe(string()),
      unifiedDiff: optional(string()),
      movePath: maybe(string()),
    }),
  ]),
);
export type FileChange = Infer<typeof FileChange>;

export const ParsedCommand = named("v1.ParsedCommand", () =>
  union([
    object({ type: literals("read"), cmd: string(), name: string(), path: string() }),
    object({ type: literals("list_files"), cmd: string(), path: maybe(string()) }),
    object({ type: literals("search"), cmd: string(), query: maybe(string()), path: maybe(string()) }),
    object({ type: literals("unknown"), cmd: string() }),
  ]),
);
export type ParsedCommand = Infer<typeof ParsedCommand>;

export const v1ServerRequests = {
  /** May this command run? */
  execCommandApproval: request({ params: ExecCommandApprovalParams, result: ExecCommandApprovalResponse }),
  /** May these files be changed? */
  applyPatchApproval: request({ params: ApplyPatchApprovalParams, result: ApplyPatchApprovalResponse }),
};
