/** The flags of `parley exec` and their meaning. */

import type { SandboxMode } from "../../protocol/policy.ts";
import type { ReviewTarget } from "../../protocol/review.ts";
import { oneOf, UsageError, type Values } from "../usage.ts";
import type { help } from "./help.ts";

export type ExecFlags = Values<typeof help>;

export type TaskArguments =
  | { readonly kind: "new"; readonly prompt: string | undefined }
  | { readonly kind: "resume" | "fork"; readonly threadId: string; readonly prompt: string | undefined }
  | { readonly kind: "review"; readonly target: ReviewTarget };

/** Instead of a session id: the newest session. */
export const newest = "last";

const taskNames: readonly string[] = ["review", "resume", "fork"];

/** `isPrompt`: the arguments came after `--`, so that the first is a prompt even when it is the name of a task. */
export function taskFromArguments(args: readonly string[], flags: ExecFlags, isPrompt = false): TaskArguments {
  const [first, ...rest] = isPrompt ? [] : args;
  // `exec PROMPT resume …`: the prompt may come before its task.
  if (first !== undefined && !taskNames.includes(first) && (rest[0] === "resume" || rest[0] === "fork")) {
    const task = taskFromArguments(rest, flags);
    return task.kind === "resume" || task.kind === "fork" ? { ...task, prompt: task.prompt ?? first } : task;
  }
  if (first === "review") return { kind: "review", target: reviewTarget(rest, flags) };
  if (first === "resume" && flags.last === true) return { kind: "resume", threadId: newest, prompt: one(rest) };
  if (first === "resume" || first === "fork") {
    const [threadId, ...prompt] = rest;
    if (threadId === undefined) throw new UsageError(`${first} needs a session id${first === "resume" ? " or --last" : ""}`);
    return { kind: first, threadId, prompt: one(prompt) };
  }
  return { kind: "new", prompt: one(args) };
}

/** A fork without a prompt starts no turn: what belongs to one would have no effect. */
export function refuseWithoutPrompt(task: TaskArguments, flags: ExecFlags): void {
  if (task.kind !== "fork" || task.prompt !== undefined) return;
  if ((flags.image ?? []).length > 0) throw new UsageError("Forking with images requires a prompt");
  if (flags["output-schema"] !== undefined || flags["output-last-message"] !== undefined)
    throw new UsageError("Forking with output options requires a prompt");
  if (flags.ephemeral === true) throw new UsageError("Ephemeral forks require a prompt");
}

function one(args: readonly string[]): string | undefined {
  if (args.length > 1) throw new UsageError(`unexpected argument '${args[1]}'; put the prompt in quotes`);
  return args[0];
}

function reviewTarget(args: readonly string[], flags: ExecFlags): ReviewTarget {
  const instructions = one(args);
  const targets = [
    ...(flags.uncommitted === true ? ["--uncommitted"] : []),
    ...(flags.base === undefined ? [] : ["--base"]),
    ...(flags.commit === undefined ? [] : ["--commit"]),
    ...(instructions === undefined ? [] : ["instructions"]),
  ];
  if (targets.length > 1) throw new UsageError(`review takes one target, not ${targets.join(" and ")}`);
  if (flags.title !== undefined && flags.commit === undefined) throw new UsageError("--title is the title of a --commit");
  if (flags.uncommitted === true) return { type: "uncommittedChanges" };
  if (flags.base !== undefined) return { type: "baseBranch", branch: flags.base };
  if (flags.commit !== undefined) return { type: "commit", sha: flags.commit, title: flags.title ?? null };
  return instructions === undefined ? { type: "uncommittedChanges" } : { type: "custom", instructions };
}

const modes: readonly SandboxMode[] = ["read-only", "workspace-write", "danger-full-access"];

/** The caller wants neither approvals nor a sandbox. */
export const isUnbounded = (flags: ExecFlags): boolean => flags["dangerously-bypass-approvals-and-sandbox"] === true || flags.yolo === true;

export function sandboxFrom(flags: ExecFlags): SandboxMode | undefined {
  if (isUnbounded(flags)) {
    if (flags["full-auto"] === true)
      throw new UsageError(
        "--full-auto cannot be used with --dangerously-bypass-approvals-and-sandbox: the one wants a sandbox, the other none",
      );
    return "danger-full-access";
  }
  if (flags.sandbox === undefined) return flags["full-auto"] === true || flags["approve-for-me"] === true ? "workspace-write" : undefined;
  return oneOf("sandbox", flags.sandbox, modes);
}

/** A model reviews what would otherwise be refused without a person. */
export const reviewerFrom = (flags: Pick<ExecFlags, "approve-for-me">): string[] =>
  flags["approve-for-me"] === true ? ['approval_policy="on-request"', 'approvals_reviewer="auto_review"'] : [];

export const profileFrom = ({ profile }: ExecFlags): string[] => (profile === undefined ? [] : [`profile=${JSON.stringify(profile)}`]);
