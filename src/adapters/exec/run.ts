/** Runs one turn unattended: starts, resumes, forks or reviews a thread and waits for the turn to end. */
import { BrokenOff } from "../../client/broken-off.ts";
import type { Client } from "../../client/client.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import type { UserInput } from "../../protocol/item.ts";
import type { ReviewTarget } from "../../protocol/review.ts";
import type { ThreadStartParams, ThreadStartResponse } from "../../protocol/thread.ts";
import type { Turn } from "../../protocol/turn.ts";

export type Task =
  | { readonly kind: "new"; readonly prompt: string }
  | { readonly kind: "resume"; readonly threadId: string; readonly prompt: string }
  /** Without a prompt, only fork. */
  | { readonly kind: "fork"; readonly threadId: string; readonly prompt: string | undefined }
  | { readonly kind: "review"; readonly target: ReviewTarget };

export interface ExecOptions {
  readonly settings: Pick<
    ThreadStartParams,
    "model" | "cwd" | "sandbox" | "approvalPolicy" | "ephemeral" | "threadSource" | "runtimeWorkspaceRoots" | "config" | "modelProvider"
  >;
  readonly images: readonly string[];
  readonly outputSchema: unknown;
  /** Called when the thread is open, before its turn starts. */
  readonly onOpen: (answer: ThreadStartResponse) => void;
  readonly signal: AbortSignal;
}

export interface Ended {
  readonly turn: Turn;
  readonly lastMessage: string | null;
}

/** Undefined if there was no turn to run. */
export async function runTask(client: Client, task: Task, options: ExecOptions): Promise<Ended | undefined> {
  const answer = await open(client, task, options);
  const threadId = answer.thread.id;
  options.onOpen(answer);
  if (task.kind === "fork" && task.prompt === undefined) return undefined;
  const ended = Promise.withResolvers<Turn>();
  let lastMessage: string | null = null;
  let turnId: string | undefined;
  const brokenOff = new BrokenOff();
  client.on("item/started", (p) => brokenOff.started(p));
  client.on("error", (p) => brokenOff.error(p));
  client.on("item/completed", (p) => {
    if (!brokenOff.wasLeft(p) && p.threadId === threadId && p.item.type === "agentMessage") lastMessage = p.item.text;
  });
  client.on("turn/completed", (p) => {
    if (p.threadId === threadId && (turnId === undefined || p.turn.id === turnId)) ended.resolve(p.turn);
  });
  client.ended.addEventListener("abort", () => ended.reject(client.ended.reason), { once: true });
  const turn =
    task.kind === "review"
      ? await client.call("review/start", { threadId, target: task.target, delivery: "inline" })
      : await client.call("turn/start", {
          threadId,
          input: inputFrom(task.prompt ?? "", options.images),
          outputSchema: options.outputSchema,
        });
  turnId = turn.turn.id;
  const interrupt = (): void => void client.call("turn/interrupt", { threadId, turnId: turn.turn.id }).catch(() => {});
  if (options.signal.aborted) interrupt();
  else options.signal.addEventListener("abort", interrupt, { once: true });
  return { turn: await ended.promise, lastMessage };
}

async function open(client: Client, task: Task, { settings }: ExecOptions): Promise<ThreadStartResponse> {
  if (task.kind === "new" || task.kind === "review") return await client.call("thread/start", settings);
  const { model, modelProvider, cwd, sandbox, approvalPolicy, runtimeWorkspaceRoots, config, ephemeral, threadSource } = settings;
  const given = {
    threadId: task.threadId,
    ...withoutUndefined({ model, modelProvider, cwd, sandbox, approvalPolicy, runtimeWorkspaceRoots, config }),
  };
  return task.kind === "fork"
    ? await client.call("thread/fork", { ...given, ...withoutUndefined({ threadSource }), ephemeral: ephemeral === true })
    : await client.call("thread/resume", { ...given, excludeTurns: true });
}

function inputFrom(prompt: string, images: readonly string[]): UserInput[] {
  return [...images.map((file): UserInput => ({ type: "localImage", path: file })), { type: "text", text: prompt, text_elements: [] }];
}
