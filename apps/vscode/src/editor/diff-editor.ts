/** Proposed file changes in the native diff editor, with Accept and Decline in its title bar. */
import path from "node:path";
import { commands, type Disposable, TabInputTextDiff, type TextDocumentContentProvider, Uri, window, workspace } from "vscode";
import type { ShownChange } from "../../../../src/ide/link.ts";
import { isRecord } from "../../../../src/lib/is-record.ts";
import type { FileUpdateChange } from "../../../../src/protocol/item.ts";
import { detailsOf } from "../../../web/src/parts/requests/choices.ts";
import { shortPath } from "../../../web/src/state/format.ts";
import type { PendingRequest } from "../../../web/src/state/model.ts";
import type { Backend } from "../host/backend.ts";
import { type ProposedFile, proposedFile } from "../host/change.ts";

const changeScheme = "parley-change";
/** Set while a shown change waits for a decision; the title bar's buttons depend on it. */
const waitingKey = "parley.changeWaiting";

export type ChangeDecision = "accept" | "acceptForSession" | "decline";

interface Shown {
  readonly id: string;
  /** What the buttons in the title bar do. */
  readonly decide: (decision: ChangeDecision) => unknown;
  readonly files: readonly ProposedFile[];
  readonly cwd: string;
}

export class DiffEditor implements TextDocumentContentProvider, Disposable {
  readonly #backend: Backend;
  readonly #answer: (request: PendingRequest, decision: ChangeDecision) => unknown;
  readonly #shown = new Map<string, Shown>();
  readonly #stops: Disposable[];

  constructor(backend: Backend, answer: (request: PendingRequest, decision: ChangeDecision) => unknown) {
    this.#backend = backend;
    this.#answer = answer;
    this.#stops = [workspace.registerTextDocumentContentProvider(changeScheme, this)];
  }

  dispose(): void {
    for (const stop of this.#stops) stop.dispose();
  }

  provideTextDocumentContent(uri: Uri): string {
    const at = placeOf(uri);
    const file = at === undefined ? undefined : this.#shown.get(at.requestId)?.files[at.index];
    return (at?.side === "before" ? file?.before : file?.after) ?? "";
  }

  /** Opens one file of a change, by default the first. */
  async show(request: PendingRequest, index = 0, preserveFocus = false): Promise<void> {
    const { requestId } = request;
    const cwd = this.#backend.sessions.find(request.threadId)?.thread.cwd ?? "";
    if (!this.#shown.has(requestId))
      await this.#prepare(requestId, changesOf(request, this.#backend), cwd, (decision) => this.#answer(request, decision));
    await this.showFile(requestId, index, preserveFocus);
  }

  /** Opens a change that a linked terminal asks about. */
  async showLinked(id: string, { cwd, changes }: ShownChange, decide: Shown["decide"]): Promise<void> {
    await this.#prepare(id, changes, cwd, decide);
    await this.showFile(id, 0, false);
  }

  async showFile(id: string, index: number, preserveFocus: boolean): Promise<void> {
    const shown = this.#shown.get(id);
    if (shown === undefined) return;
    const file = shown.files[index];
    if (file === undefined) return;
    const count = shown.files.length > 1 ? ` (${index + 1} of ${shown.files.length})` : "";
    const note = file.whole ? "" : ", changed parts only";
    const title = `${shortPath(file.path, shown.cwd)}: proposed ${kindNames[file.kind]}${count}${note}`;
    await this.#mark();
    await commands.executeCommand("vscode.diff", uriOf(id, index, "before", file), uriOf(id, index, "after", file), title, {
      preview: false,
      preserveFocus,
    });
  }

  /** The change whose diff is active, or the one that a title bar button belongs to. */
  current(uri?: Uri): (Pick<Shown, "id" | "decide"> & { readonly index: number; readonly count: number }) | undefined {
    const input = window.tabGroups.activeTabGroup.activeTab?.input;
    const at = placeOf(uri) ?? (input instanceof TabInputTextDiff ? placeOf(input.modified) : undefined);
    const shown = at === undefined ? undefined : this.#shown.get(at.requestId);
    if (at === undefined || shown === undefined) return undefined;
    return { id: shown.id, decide: shown.decide, index: at.index, count: shown.files.length };
  }

  /** Closes the editors of a request that has ended. */
  async close(requestId: string): Promise<void> {
    if (!this.#shown.delete(requestId)) return;
    await this.#mark();
    const tabs = window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter((tab) => tab.input instanceof TabInputTextDiff && placeOf(tab.input.modified)?.requestId === requestId);
    await window.tabGroups.close(tabs, true);
  }

  /** Closes tabs left by an earlier run of the editor, which have no content any more. */
  async closeStale(): Promise<void> {
    const stale = window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter((tab) => tab.input instanceof TabInputTextDiff && tab.input.modified.scheme === changeScheme);
    await window.tabGroups.close(stale, true);
  }

  async #prepare(id: string, changes: readonly FileUpdateChange[], cwd: string, decide: Shown["decide"]): Promise<void> {
    const files = await Promise.all(changes.map(async (change) => proposedFile(change, await textAt(path.resolve(cwd, change.path)))));
    this.#shown.set(id, { id, files, cwd, decide });
  }

  async #mark(): Promise<void> {
    await commands.executeCommand("setContext", waitingKey, this.#shown.size > 0);
  }
}

const kindNames = { add: "new file", delete: "deletion", update: "change", rename: "move" } as const;

/** Our own servers send the changes with the request; for others they are those of the item that has just started. */
function changesOf(request: PendingRequest, backend: Backend): readonly FileUpdateChange[] {
  const given = detailsOf(request)["changes"];
  if (Array.isArray(given)) return given.filter(isChange);
  const turns = backend.sessions.find(request.threadId)?.view.turns ?? [];
  const item = turns.flatMap((turn) => turn.items).findLast((i) => i.id === request.itemId);
  return item?.type === "fileChange" ? item.changes : [];
}

const isChange = (value: unknown): value is FileUpdateChange =>
  isRecord(value) && typeof value["path"] === "string" && typeof value["diff"] === "string" && isRecord(value["kind"]);

async function textAt(file: string): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await workspace.fs.readFile(Uri.file(file)));
  } catch {
    return undefined;
  }
}

type Side = "before" | "after";

/** The file name comes last, so that the editor detects its language. */
const uriOf = (requestId: string, index: number, side: Side, file: ProposedFile): Uri =>
  Uri.from({ scheme: changeScheme, path: `/${requestId}/${index}/${side}/${path.basename(side === "before" ? file.oldPath : file.path)}` });

function placeOf(uri: Uri | undefined): { readonly requestId: string; readonly index: number; readonly side: Side } | undefined {
  if (uri?.scheme !== changeScheme) return undefined;
  const [, requestId, index, side] = uri.path.split("/");
  if (requestId === undefined || index === undefined) return undefined;
  return { requestId, index: Number(index), side: side === "before" ? "before" : "after" };
}
