// Generated from the method tables of Parley's app-server. Do not edit.

import type { RequestId } from "../RequestId";
import type { GitCommitParams } from "./GitCommitParams";
import type { GitDiffParams } from "./GitDiffParams";
import type { GitFolderParams } from "./GitFolderParams";
import type { GitPullRequestCreateParams } from "./GitPullRequestCreateParams";
import type { GitRevertParams } from "./GitRevertParams";
import type { GitStageParams } from "./GitStageParams";
import type { GitWorktreeAddParams } from "./GitWorktreeAddParams";
import type { GitWorktreeRemoveParams } from "./GitWorktreeRemoveParams";
import type { PatchRevertParams } from "./PatchRevertParams";
import type { PluginTrustAcceptParams } from "./PluginTrustAcceptParams";
import type { TurnFilesReadParams } from "./TurnFilesReadParams";
import type { TurnRevertCheckParams } from "./TurnRevertCheckParams";
import type { TurnRevertParams } from "./TurnRevertParams";

export type ClientRequest = { method: "git/status", id: RequestId, params: GitFolderParams } | { method: "git/diff", id: RequestId, params: GitDiffParams } | { method: "git/stage", id: RequestId, params: GitStageParams } | { method: "git/revert", id: RequestId, params: GitRevertParams } | { method: "patch/revert", id: RequestId, params: PatchRevertParams } | { method: "git/commit", id: RequestId, params: GitCommitParams } | { method: "git/push", id: RequestId, params: GitFolderParams } | { method: "git/pullRequest/read", id: RequestId, params: GitFolderParams } | { method: "git/pullRequest/create", id: RequestId, params: GitPullRequestCreateParams } | { method: "git/worktree/add", id: RequestId, params: GitWorktreeAddParams } | { method: "git/worktree/merge", id: RequestId, params: GitFolderParams } | { method: "git/worktree/remove", id: RequestId, params: GitWorktreeRemoveParams } | { method: "plugin/trust/list", id: RequestId } | { method: "plugin/trust/accept", id: RequestId, params: PluginTrustAcceptParams } | { method: "sandbox/read", id: RequestId } | { method: "turn/files/read", id: RequestId, params: TurnFilesReadParams } | { method: "turn/revert/check", id: RequestId, params: TurnRevertCheckParams } | { method: "turn/revert", id: RequestId, params: TurnRevertParams };
