/** What the person sees besides the conversation: the message being written, questions, lists, hints. Plain data. */
import type { ThreadGoal } from "../../protocol/thread-goal.ts";
import type { Approval } from "../ask/approval.ts";
import type { Form } from "../ask/form.ts";
import type { Picker } from "../ask/picker.ts";
import type { Popup } from "../compose/completion.ts";
import { type Composer, emptyComposer } from "../compose/composer.ts";
import { type Keymap, standardKeymap } from "../compose/keymap.ts";
import type { Vim } from "../compose/vim.ts";
import type { StatusItem } from "../draw/status-line.ts";

/** A request of the server that waits for the person. */
export interface PendingQuestion {
  readonly id: number;
  readonly prompt: Approval | Form;
  /** The item that it is about: not shown as running while it waits for approval. */
  readonly itemId: string | undefined;
  /** Set when it comes from a thread other than the shown one, such as a sub-agent's. */
  readonly from: string | undefined;
  /** Keys count from this time on: keys typed for something else must not answer it. */
  readonly armedAtMs: number;
}

/** A message that waits in the server until the running turn has ended. */
export interface Queued {
  readonly id: string;
  readonly clientId: string;
  readonly text: string;
}

export interface Ui {
  readonly composer: Composer;
  readonly popup: Popup | undefined;
  readonly dialog: Picker | Form | undefined;
  readonly pending: readonly PendingQuestion[];
  readonly queue: readonly Queued[];
  /** The waiting messages that were written here, as they were written. */
  readonly queuedHere: readonly { readonly clientId: string; readonly composer: Composer }[];
  readonly goal: ThreadGoal | undefined;
  /** Commands that keep running after their turn, each in one line. */
  readonly background: readonly string[];
  /** A short hint below the composer, until the next key. */
  readonly hint: string | undefined;
  readonly connection: "open" | "lost";
  readonly lastKeyAtMs: number;
  /** A second Ctrl+C before this time exits. */
  readonly quitUntilMs: number;
  /** A second Esc before this time goes back to an earlier message. */
  readonly rewindUntilMs: number;
  /** The keys are explained below the composer. */
  readonly showsKeys: boolean;
  /** Something is being fetched. */
  readonly busy: string | undefined;
  readonly keymap: Keymap;
  /** Undefined: without vim keys. */
  readonly vim: Vim | undefined;
  /** The linked editor and what is open there, as it is shown; undefined without a link. */
  readonly ide: { readonly app: string; readonly label: string | undefined; readonly showsChanges: boolean } | undefined;
  /** Undefined: the standard line. */
  readonly statusLine: readonly StatusItem[] | undefined;
}

export const emptyUi: Ui = {
  composer: emptyComposer,
  popup: undefined,
  dialog: undefined,
  pending: [],
  queue: [],
  queuedHere: [],
  goal: undefined,
  background: [],
  hint: undefined,
  connection: "open",
  lastKeyAtMs: 0,
  quitUntilMs: 0,
  rewindUntilMs: 0,
  showsKeys: false,
  busy: undefined,
  keymap: standardKeymap,
  vim: undefined,
  ide: undefined,
  statusLine: undefined,
};

/** A person who is typing needs a moment to notice that the keys now mean something else. */
const pauseMs = 700;
const recentMs = 1200;

export function armedAt(ui: Ui, nowMs: number): number {
  const isTyping = nowMs - ui.lastKeyAtMs < recentMs && ui.composer.editor.text !== "";
  return isTyping ? nowMs + pauseMs : nowMs;
}

/** Each key that comes too early extends the time. */
export function isArmed(question: PendingQuestion, nowMs: number): boolean {
  return nowMs >= question.armedAtMs;
}
export const postponed = (question: PendingQuestion, nowMs: number): PendingQuestion => ({ ...question, armedAtMs: nowMs + pauseMs });
