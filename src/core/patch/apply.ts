/** Applies a verified patch: all of it or, after restoring everything, nothing. */

import { errorMessage } from "../../lib/error-text.ts";
import { type FileState, type NewFile, sameContent, type Workspace, WorkspaceRefusal } from "../ports/workspace.ts";
import type { PatchPlan, PatchStep } from "./plan.ts";

/** Remembers files for the turn's diff and for undo. No call ever rejects: a file that could not be kept is reported on undo. */
export interface BeforeImages {
  /** Call before a file changes; `before` of the first change in a turn counts. Resolves when both would survive a crash. */
  changing(real: string, before: FileState, after: FileState): Promise<void>;
  /** The change was made. */
  changed(real: string): void;
  /** The change was not made: the turn left the file as `before`, and its current content comes from elsewhere. */
  notChanged(real: string, before: FileState): Promise<void>;
  /** A folder was created for a file. */
  made(folder: string): Promise<void>;
  /** A file was moved. */
  moved(from: string, to: string): void;
}

export type Applied = { readonly ok: true; readonly stdout: string } | { readonly ok: false; readonly failed: string };

/** Checks every path again before writing: links and edits made while the approval was pending make it fail, and the user's version stays. */
export async function applyPlan(plan: PatchPlan, workspace: Workspace, before: BeforeImages): Promise<Applied> {
  const done: Done[] = [];
  try {
    for (const step of plan.steps) await checkAgain(step, workspace);
    for (const step of plan.steps) await before.changing(step.real, step.before, step.after);
    for (const step of plan.steps) {
      const { madeFolders } = await workspace.replace(step.real, step.before, step.isNew ? withoutMode(step.after) : step.after);
      done.push({ step, madeFolders });
    }
  } catch (error) {
    if (!(error instanceof WorkspaceRefusal)) throw error;
    const lost = await putBack(done, workspace);
    for (const step of plan.steps) if (!lost.has(step)) await before.notChanged(step.real, step.before);
    return { ok: false, failed: [error.message, ...lost.values()].join("\n") };
  }
  for (const { step, madeFolders } of done) {
    before.changed(step.real);
    for (const folder of madeFolders) await before.made(folder);
  }
  for (const move of plan.moves) before.moved(move.from, move.to);
  return { ok: true, stdout: plan.summary };
}

interface Done {
  readonly step: PatchStep;
  readonly madeFolders: readonly string[];
}

const withoutMode = (state: FileState): FileState | NewFile => (state.kind === "file" ? { kind: "file", bytes: state.bytes } : state);

async function checkAgain(step: PatchStep, workspace: Workspace): Promise<void> {
  const real = step.isEntry ? await workspace.locateEntry(step.named) : (await workspace.locate(step.named)).real;
  if (real !== step.real)
    throw new WorkspaceRefusal(
      "link",
      `${step.named} leads to ${real} now, not to ${step.real} as when the patch was shown; nothing was written`,
    );
}

/** Latest first. Paths that cannot be restored are reported: silence would hide a half-applied patch. */
async function putBack(done: readonly Done[], workspace: Workspace): Promise<ReadonlyMap<PatchStep, string>> {
  const lost = new Map<PatchStep, string>();
  for (const { step, madeFolders } of done.toReversed()) {
    try {
      const now = await workspace.read(step.real);
      if (!sameContent(now, step.after)) throw new WorkspaceRefusal("changed", "it was changed meanwhile");
      await workspace.replace(step.real, now, step.before);
      for (const folder of madeFolders.toReversed()) await workspace.removeFolder(folder);
    } catch (error) {
      lost.set(step, `${step.real} could not be put back: ${errorMessage(error)}`);
    }
  }
  return lost;
}
