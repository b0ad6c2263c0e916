/** Verifies a patch against the files without writing: what it would do, where, and whether that needs approval. */
import path from "node:path";
import { utf8Text } from "../../lib/diff.ts";
import { isInside, pathProblem, relativeInside } from "../../lib/paths.ts";
import type { FileUpdateChange } from "../../protocol/item.ts";
import type { AskForApproval } from "../../protocol/policy.ts";
import { deniedText } from "../ports/file-access.ts";
import type { FileHunk } from "../ports/file-hunk.ts";
import { absent, type FileState, type Workspace, WorkspaceRefusal } from "../ports/workspace.ts";
import { type FileEdit, fileUpdateChanges, type SummaryLine, successText, verificationFailed } from "./file-changes.ts";
import { parsePatch } from "./parse.ts";
import { type Standing, standingOf, type WriteScope } from "./reach.ts";
import { replaceText } from "./replace.ts";
import { updateText } from "./update.ts";

/** One path that changes. */
export interface PatchStep {
  /** Absolute, before links are followed: applying resolves it again. */
  readonly named: string;
  /** The resolved path; the only one that is written. */
  readonly real: string;
  /** The link itself is meant, not its target. */
  readonly isEntry: boolean;
  readonly before: FileState;
  readonly after: FileState;
  /** A new file, not a moved one: its mode comes from the process's umask. */
  readonly isNew: boolean;
}

export interface PatchPlan {
  /** For the fileChange item. */
  readonly changes: readonly FileUpdateChange[];
  /** In the order in which they are applied; each path once. */
  readonly steps: readonly PatchStep[];
  /** Resolved paths; a grant for the session covers exactly these. */
  readonly touched: readonly string[];
  /** Pairs of resolved paths: from and to of each moved file. */
  readonly moves: readonly { readonly from: string; readonly to: string }[];
  /** Existing files (resolved) that an Add File or a move replaces: mentioned when asking. */
  readonly overwrites: readonly string[];
  /** The tool's output on success. */
  readonly summary: string;
}

export type Planned = PatchPlan | { readonly failed: string };

/** Plans the patch, or the list of changes, against the current files. Only reads. `scope` decides how paths are shown and which links may be followed. */
export async function planPatch(
  wanted: string | readonly FileHunk[],
  cwd: string,
  workspace: Workspace,
  scope: WriteScope,
): Promise<Planned> {
  const isPatch = typeof wanted === "string";
  const failure = (problem: string): Planned => ({ failed: isPatch ? verificationFailed(problem) : `edit failed: ${problem}` });
  const parsed = isPatch ? parsePatch(wanted) : { hunks: wanted };
  if ("failed" in parsed) return failure(parsed.failed);
  if (parsed.hunks.length === 0) return { failed: "patch rejected: empty patch" };
  const draft = new Draft(cwd, workspace, scope);
  for (const hunk of parsed.hunks) {
    const problem = await draft.take(hunk);
    if (problem !== undefined) return failure(problem);
  }
  return draft.plan();
}

interface Entry {
  readonly named: string;
  readonly real: string;
  readonly shown: string;
  readonly isEntry: boolean;
  readonly before: FileState;
  now: FileState;
  isNew: boolean;
  /** The patch's last operation on it. */
  last: FileHunk["op"] | "moved away" | "moved here" | undefined;
}

/** The tree as the patch changes it, hunk by hunk, on top of the files on disk. */
class Draft {
  readonly #cwd: string;
  readonly #workspace: Workspace;
  readonly #scope: WriteScope;
  readonly #entries = new Map<string, Entry>();
  readonly #moves: { from: Entry; to: Entry }[] = [];
  readonly #summary: SummaryLine[] = [];
  readonly #notes: string[] = [];

  constructor(cwd: string, workspace: Workspace, scope: WriteScope) {
    this.#cwd = cwd;
    this.#workspace = workspace;
    this.#scope = scope;
  }

  /** Adds one hunk; returns an error message when it does not match. */
  async take(hunk: FileHunk): Promise<string | undefined> {
    try {
      if (hunk.op === "add") return await this.#add(hunk.path, hunk.content);
      if (hunk.op === "delete") return await this.#delete(hunk.path);
      if (hunk.op === "update") return await this.#update(hunk);
      return hunk.op === "write" ? await this.#write(hunk.path, hunk.content) : await this.#replace(hunk);
    } catch (error) {
      if (error instanceof WorkspaceRefusal) return error.message;
      throw error;
    }
  }

  #add(name: string, content: string): Promise<string | undefined> {
    return this.#put(name, content, "add");
  }

  /** Like `add`, but an existing file is shown as changed. */
  #write(name: string, content: string): Promise<string | undefined> {
    return this.#put(name, content, "write");
  }

  async #put(name: string, content: string, op: "add" | "write"): Promise<string | undefined> {
    const entry = await this.#entry(name, "target");
    if (entry.now.kind === "other") return `Failed to write ${entry.shown}: it is a ${entry.now.what}`;
    const old = [entry.now, entry.before].find((state) => state.kind === "file");
    entry.now = { kind: "file", bytes: Buffer.from(content), mode: old?.mode ?? 0o644 };
    entry.isNew = entry.before.kind === "absent";
    this.#done(entry, op, op === "write" && !entry.isNew ? "M" : "A", name);
    return undefined;
  }

  async #delete(name: string): Promise<string | undefined> {
    const entry = await this.#entry(name, "entry");
    if (entry.now.kind === "absent") return `Failed to read ${entry.shown}: No such file or directory`;
    if (entry.now.kind === "other") return `Failed to read ${entry.shown}: it is a ${entry.now.what}, not a file`;
    entry.now = absent;
    this.#done(entry, "delete", "D", name);
    return undefined;
  }

  async #update(hunk: FileHunk & { op: "update" }): Promise<string | undefined> {
    const entry = await this.#entry(hunk.path, hunk.movePath === undefined ? "target" : "entry");
    const { now } = entry;
    if (now.kind === "absent") return `Failed to read file to update ${entry.shown}: No such file or directory`;
    if (now.kind === "link") return `Failed to move ${entry.shown}: it is a symbolic link; delete it and add the file instead`;
    if (now.kind === "other") return `Failed to read file to update ${entry.shown}: it is a ${now.what}, not a file`;
    let bytes = now.bytes;
    if (hunk.chunks.length > 0) {
      const text = utf8Text(now.bytes);
      if (text === undefined) return `Failed to read file to update ${entry.shown}: it is not UTF-8 text`;
      const updated = updateText(text, hunk.chunks, entry.shown);
      if ("failed" in updated) return updated.failed;
      bytes = Buffer.from(updated.text);
      this.#notes.push(...(updated.notes ?? []));
    }
    const next: FileState = { kind: "file", bytes, mode: now.mode };
    return hunk.movePath === undefined ? this.#rewritten(entry, next, hunk.path) : await this.#moved(entry, next, hunk.movePath);
  }

  async #replace({ path: name, ...replacing }: FileHunk & { op: "replace" }): Promise<string | undefined> {
    const entry = await this.#entry(name, "target");
    const { now } = entry;
    const isEmpty = now.kind === "absent" || (now.kind === "file" && now.bytes.length === 0);
    if (isEmpty && replacing.oldText === "") return await this.#write(name, replacing.newText);
    if (now.kind === "absent") return `${entry.shown} does not exist; create it with write`;
    if (now.kind !== "file") return `${entry.shown} is a ${now.kind === "link" ? "symbolic link" : now.what}, not a file`;
    const text = utf8Text(now.bytes);
    if (text === undefined) return `${entry.shown} is not UTF-8 text`;
    const updated = replaceText(text, replacing, entry.shown);
    if ("failed" in updated) return updated.failed;
    return this.#rewritten(entry, { kind: "file", bytes: Buffer.from(updated.text), mode: now.mode }, name);
  }

  #rewritten(entry: Entry, next: FileState, name: string): undefined {
    entry.now = next;
    this.#done(entry, "update", "M", name);
  }

  async #moved(from: Entry, next: FileState, name: string): Promise<string | undefined> {
    const to = await this.#entry(name, "target");
    if (to === from) return this.#rewritten(from, next, name);
    if (to.now.kind === "other") return `Failed to move to ${to.shown}: it is a ${to.now.what}`;
    to.now = next;
    to.isNew = false;
    this.#done(to, "moved here", "M", name);
    from.now = absent;
    this.#done(from, "moved away");
    this.#moves.push({ from, to });
    return undefined;
  }

  #done(entry: Entry, last: NonNullable<Entry["last"]>, mark?: SummaryLine["mark"], name?: string): void {
    entry.last = last;
    if (mark !== undefined && name !== undefined) this.#summary.push({ mark, name });
    // A path that is changed again moves to the end: steps are applied in this order.
    this.#entries.delete(entry.real);
    this.#entries.set(entry.real, entry);
  }

  /** "target" follows a link at the end, "entry" means the link itself. */
  async #entry(name: string, sense: "target" | "entry"): Promise<Entry> {
    const problem = pathProblem(name);
    if (problem !== undefined) throw new WorkspaceRefusal("badPath", `invalid path: ${problem}`);
    const named = path.resolve(this.#cwd, name);
    const isEntry = sense === "entry";
    const real = isEntry ? await this.#workspace.locateEntry(named) : (await this.#workspace.locate(named)).real;
    const known = this.#entries.get(real);
    if (known !== undefined) return known;
    this.#refuseEscape(named, real);
    if (this.#scope.guard?.(named, real) === "deny") throw new WorkspaceRefusal("denied", deniedText(named));
    const before = await this.#workspace.read(real);
    return { named, real, shown: this.#shown(real), isEntry, before, now: before, isNew: before.kind === "absent", last: undefined };
  }

  /** A link inside the session's folders that points outside would write where nobody expects it. */
  #refuseEscape(named: string, real: string): void {
    const { everywhere, roots, sessionRoots } = this.#scope;
    const folders = sessionRoots.flatMap((root) => [root.named, root.real]);
    const leadsOut = folders.some((root) => isInside(named, root)) && ![...folders, ...roots].some((root) => isInside(real, root));
    if (leadsOut && !everywhere)
      throw new WorkspaceRefusal("link", `${named} leads through a symbolic link to ${real}, outside the workspace; name that path itself`);
  }

  /** The resolved path, under the session's name for its folder. */
  #shown(real: string): string {
    for (const root of this.#scope.sessionRoots) {
      const way = relativeInside(real, root.real);
      if (way !== undefined) return path.join(root.named, way);
    }
    return real;
  }

  async plan(): Promise<PatchPlan> {
    const entries = [...this.#entries.values()];
    return {
      changes: await fileUpdateChanges(this.#edits(entries)),
      steps: entries.map(({ named, real, isEntry, before, now, isNew }) => ({ named, real, isEntry, before, after: now, isNew })),
      touched: entries.map((entry) => entry.real),
      moves: this.#moves.map((move) => ({ from: move.from.real, to: move.to.real })),
      overwrites: entries
        .filter((e) => (e.last === "add" || e.last === "write" || e.last === "moved here") && e.before.kind !== "absent")
        .map((e) => e.real),
      summary: successText(this.#summary) + this.#notes.map((note) => `${note}\n`).join(""),
    };
  }

  /** One edit for each file: a move is listed under its source path. */
  #edits(entries: readonly Entry[]): FileEdit[] {
    const moved = this.#moves.filter((move) => move.from.last === "moved away" && move.to.last === "moved here");
    const arrived = new Set(moved.map((move) => move.to));
    return entries
      .filter((entry) => !arrived.has(entry))
      .map((entry) => {
        const to = moved.find((move) => move.from === entry)?.to;
        const base = { path: entry.shown, before: entry.before, after: (to ?? entry).now, movePath: to?.shown };
        if (to !== undefined) return { ...base, kind: "update" };
        if (entry.now.kind === "absent") return { ...base, kind: "delete" };
        return { ...base, kind: entry.last === "add" || entry.before.kind === "absent" ? "add" : "update" };
      });
  }
}

/** What a plan would do beyond what the settings allow without asking. Resolved paths. */
export interface PatchReach {
  readonly outside: readonly string[];
  readonly protected: readonly string[];
  /** Existing files that an Add File or a move replaces. */
  readonly overwrites: readonly string[];
  /** No folder is writable. */
  readonly readOnly: boolean;
}

export function reachOf(plan: PatchPlan, scope: WriteScope): PatchReach {
  const standing = (wanted: Standing): string[] =>
    plan.steps.filter((step) => standingOf(step.real, scope, step.named) === wanted).map((step) => step.real);
  const readOnly = !scope.everywhere && scope.roots.length === 0;
  return { outside: standing("outside"), protected: standing("protected"), overwrites: plan.overwrites, readOnly };
}

export type PatchDecision =
  | { readonly kind: "apply" }
  | { readonly kind: "ask"; readonly reason: string | null }
  /** The reason for the model; nobody is asked. */
  | { readonly kind: "refuse"; readonly text: string };

/** Whether the patch runs, is asked about, or is refused, before any grant of the session counts. */
export function decidePatch(reach: PatchReach, policy: AskForApproval): PatchDecision {
  const isWithin = reach.outside.length === 0 && reach.protected.length === 0;
  if (isWithin && policy !== "untrusted") return { kind: "apply" };
  const mayAsk = typeof policy === "object" ? policy.granular.sandbox_approval : policy !== "never";
  const closed = reach.protected.length === 0 ? null : `writes to protected files: ${reach.protected.join(", ")}`;
  const replaced = reach.overwrites.length === 0 ? null : `replaces existing files: ${reach.overwrites.join(", ")}`;
  if (mayAsk) return { kind: "ask", reason: [closed, replaced].filter((part) => part !== null).join("; ") || null };
  const outside = reach.readOnly
    ? "writing is blocked by read-only sandbox"
    : `writing outside of the project: ${reach.outside.join(", ")}`;
  const where = closed ?? outside;
  return { kind: "refuse", text: `patch rejected: ${where}; rejected by user approval settings` };
}
