/** `git/*` and `patch/revert`: a person's own work with a repository. What is taken back in files is kept first. */
import path from "node:path";
import { PatchMisfit, parseFilePatch, reversePatch } from "../core/edit/reverse-patch.ts";
import { stateMark } from "../core/edit/undo.ts";
import { type GitBlob, type Repositories, RepositoryRefusal } from "../core/ports/repository.ts";
import { type FileState, type NewFile, WorkspaceRefusal } from "../core/ports/workspace.ts";
import { utf8Text } from "../lib/diff.ts";
import { isInside } from "../lib/paths.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { gitRequests } from "../protocol/git.ts";
import type { App, Call, HandlersFor } from "./app.ts";

export const gitHandlers: HandlersFor<typeof gitRequests> = {
  async "git/status"({ cwd }, call) {
    const found = await ask(call, (git, signal) => git.status(cwd, signal));
    if (found === undefined) return { repository: null };
    return { repository: { ...found, conflicts: [...found.conflicts], branches: [...found.branches], hooks: [...found.hooks] } };
  },
  async "git/diff"({ cwd, scope }, call) {
    const found = await ask(call, (git, signal) => git.diff(cwd, scope, signal));
    return { ...found, files: [...found.files] };
  },
  async "git/stage"({ cwd, scope, path: name, id, hunk }, call) {
    await ask(call, (git, signal) => git.stage(cwd, { scope, path: name, id }, hunk, signal));
    return {};
  },
  async "git/revert"({ threadId, cwd, scope, path: name, id }, call) {
    requireIdle(call.app, threadId);
    const wanted = await ask(call, (git, signal) => git.before(cwd, { scope, path: name, id }, signal));
    return await putBack(call.app, threadId, async ({ workspace }) => {
      const steps: Step[] = [];
      for (const { path: file, blob } of wanted) {
        const real = await workspace.locateEntry(file);
        const now = await workspace.read(real);
        steps.push({ real, now, next: stateOf(blob, now) });
      }
      return steps;
    });
  },
  async "patch/revert"({ threadId, folder, patch }, { app }) {
    requireIdle(app, threadId);
    return await putBack(app, threadId, async () => await stepsOf(app, folder, patch));
  },
  async "git/commit"({ cwd, message, branch, all, asInTerminal }, call) {
    const request = { message, branch: branch ?? undefined, all: all ?? false, asInTerminal: asInTerminal ?? false };
    return await ask(call, (git, signal) => git.commit(cwd, request, signal));
  },
  "git/push": ({ cwd }, call) => ask(call, (git, signal) => git.push(cwd, signal)),
  async "git/pullRequest/read"({ cwd }, call) {
    return { pullRequest: await ask(call, (git, signal) => git.pullRequest(cwd, signal)) };
  },
  async "git/pullRequest/create"({ cwd, title, body, base, draft }, call) {
    const wanted = { title, body: body ?? "", base: base ?? undefined, draft: draft ?? false };
    return { pullRequest: await ask(call, (git, signal) => git.openPullRequest(cwd, wanted, signal)) };
  },
  "git/worktree/add": ({ cwd, branch }, call) => ask(call, (git, signal) => git.addWorktree(cwd, branch ?? undefined, signal)),
  async "git/worktree/merge"({ cwd }, call) {
    const merged = await ask(call, (git, signal) => git.mergeWorktree(cwd, signal));
    return { ...merged, conflicts: [...merged.conflicts] };
  },
  "git/worktree/remove": ({ cwd, onlyIfMerged }, call) =>
    ask(call, (git, signal) => git.removeWorktree(cwd, { onlyIfMerged: onlyIfMerged ?? false }, signal)),
};

/** Ends with the connection. */
async function ask<T>({ app, session }: Call, work: (git: Repositories, signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  const leave = (): void => ending.abort(new Error("the client has gone"));
  session.onClose.add(leave);
  try {
    return await work(await app.repositories(), ending.signal);
  } catch (error) {
    if (error instanceof RepositoryRefusal) throw invalidRequest(error.message);
    if (error instanceof Error && error.name === "TimeoutError") throw invalidRequest("git took too long and was stopped.");
    throw error;
  } finally {
    session.onClose.delete(leave);
  }
}

function requireIdle(app: App, threadId: string): void {
  if (app.threads.find(threadId)?.turn !== undefined)
    throw invalidRequest("cannot revert files while a turn is running; interrupt it first");
}

interface Step {
  readonly real: string;
  readonly now: FileState;
  readonly next: FileState | NewFile;
}

/** Larger contents are not kept by the undo store, and what cannot be brought back is not removed. */
const maxKept = 16 * 1024 * 1024;

/** Keeps what is there under a new id, then makes the steps. */
async function putBack(
  app: App,
  threadId: string,
  plan: (app: App) => Promise<readonly Step[]>,
): Promise<{ undoId: string; restored: string[] }> {
  const turn = { threadId, turnId: `revert-${app.ids.turn()}` };
  try {
    const steps = (await plan(app)).filter(
      ({ now, next }) => stateMark(now) !== stateMark(next as FileState) || modeOf(now) !== modeOf(next),
    );
    if (steps.length === 0) throw invalidRequest("the file is already as it was before");
    for (const { real, now } of steps) {
      if (now.kind === "other") throw invalidRequest(`${real} is a ${now.what}; it is not replaced`);
      if (now.kind === "file" && now.bytes.length > maxKept)
        throw invalidRequest(`${real} is too large to be kept for undo; it is not replaced`);
    }
    for (const { real, now, next } of steps) {
      await app.undo.keep(turn, real, now, stateMark(next as FileState));
      await app.workspace.replace(real, now, next);
    }
    return { undoId: turn.turnId, restored: steps.map(({ real }) => real) };
  } catch (error) {
    if (error instanceof WorkspaceRefusal) throw invalidRequest(error.message);
    if (error instanceof PatchMisfit) throw invalidRequest(`This change cannot be taken back: ${error.message}.`);
    throw error;
  }
}

const modeOf = (state: FileState | NewFile): number | undefined => (state.kind === "file" ? state.mode : undefined);

function stateOf(blob: GitBlob, now: FileState): FileState | NewFile {
  if (blob.kind !== "file") return blob;
  // git knows only whether a file can be executed.
  const mode = now.kind === "file" ? (now.mode & ~0o111) | (blob.isExecutable ? ((now.mode & 0o444) >> 2) | 0o100 : 0) : undefined;
  if (mode !== undefined) return { kind: "file", bytes: blob.bytes, mode };
  return blob.isExecutable ? { kind: "file", bytes: blob.bytes, mode: 0o755 } : { kind: "file", bytes: blob.bytes };
}

async function stepsOf({ workspace }: App, folder: string, text: string): Promise<Step[]> {
  const { before, after, hunks } = parseFilePatch(text);
  const at = async (name: string): Promise<string> => {
    const whole = path.resolve(folder, name);
    if (!isInside(whole, path.resolve(folder)) || whole === path.resolve(folder)) throw new PatchMisfit(`${name} is outside ${folder}`);
    return await workspace.locateEntry(whole);
  };
  const real = await at(after ?? before ?? "");
  const now = await workspace.read(real);
  const bytes = now.kind === "file" ? now.bytes : new Uint8Array();
  const content = utf8Text(bytes);
  if (now.kind === "link" || now.kind === "other") throw new PatchMisfit("it is not a file");
  if (content === undefined) throw new PatchMisfit("it is not UTF-8 text");
  if (after !== null && now.kind === "absent") throw new PatchMisfit("the file is no longer there");
  if (after === null && now.kind === "file") throw new PatchMisfit("a file is there again");
  const older = reversePatch(content, hunks);
  const restored: FileState | NewFile = { kind: "file", bytes: Buffer.from(older), ...(now.kind === "file" ? { mode: now.mode } : {}) } as
    | FileState
    | NewFile;
  if (before === null) return [{ real, now, next: older === "" ? { kind: "absent" } : restored }];
  if (after === null || before === after) return [{ real, now, next: restored }];
  const old = await at(before);
  const there = await workspace.read(old);
  if (there.kind !== "absent") throw new PatchMisfit(`${before} is there again`);
  return [
    { real: old, now: there, next: restored },
    { real, now, next: { kind: "absent" } },
  ];
}
