/** What every part of the terminal client may use: the server, the state, dialogs, and the exit. */
import type { Client } from "../../client/client.ts";
import type { AskForApproval, SandboxMode } from "../../protocol/policy.ts";
import type { Thread } from "../../protocol/thread.ts";
import type { Form, Given } from "../ask/form.ts";
import type { Picker } from "../ask/picker.ts";
import type { History } from "../compose/history.ts";
import type { Size } from "../draw/frame.ts";
import type { Line } from "../text/spans.ts";
import type { Theme } from "../text/theme.ts";
import type { Ide } from "./ide.ts";
import type { Store } from "./store.ts";

/** How the first thread is opened. */
export type Start =
  | { readonly kind: "new" }
  | { readonly kind: "resume" | "fork"; readonly threadId: string }
  | { readonly kind: "resume" | "fork"; readonly pick: "list" | "last" };

export interface TuiOptions {
  /** Opens a connection; called again when a remote server was lost. */
  readonly connect: () => Promise<Client>;
  /** The URL of a remote server; undefined when it runs in this process. */
  readonly remote: string | undefined;
  readonly version: string;
  /** This machine's home folder, for the history and the person's prompts. */
  readonly codexHome: string;
  /** Undefined leaves the choice of the folder to the server. */
  readonly cwd: string | undefined;
  /** Further folders that new sessions may write to. */
  readonly roots: readonly string[];
  readonly start: Start;
  readonly model: string | undefined;
  readonly sandbox: SandboxMode | undefined;
  readonly approvalPolicy: AskForApproval | undefined;
  /** Sent when the thread is open. */
  readonly prompt: string | undefined;
  readonly images: readonly string[];
  /** A session as a document to read elsewhere. */
  readonly transcriptOf: (thread: Thread) => Promise<string>;
  readonly usesAltScreen: boolean;
  readonly spoken: boolean;
  /** The terminal can only print lines (TERM=dumb); implies `spoken`. */
  readonly isPlain: boolean;
  /** For the log file; nothing else may write to the screen. */
  readonly report: (message: string, error?: unknown) => void;
}

export interface Shell {
  readonly options: TuiOptions;
  readonly store: Store;
  readonly history: History;
  readonly ide: Ide;
  readonly theme: Theme;
  switchTheme(name: string): void;
  readonly size: Size;
  client(): Client;
  now(): number;
  /** Shows a list to the person; undefined when nothing was chosen. */
  pick(picker: Picker): Promise<string | undefined>;
  fill(form: Form): Promise<Given | undefined>;
  /** Shows lines in a pager, drawn for the current width. */
  page(title: string, draw: (width: number) => readonly Line[]): Promise<void>;
  /** Copies text to the clipboard of the terminal, wherever that is. */
  copy(text: string): void;
  /** Hands the terminal to another program until it exits. */
  lend(use: () => Promise<void>): Promise<void>;
  /** Runs a task in the background; a failure becomes a note. */
  run(task: () => Promise<void>): void;
  quit(code?: number): void;
}
