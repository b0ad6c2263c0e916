/** What a handler may use: one App per process, one Session per connection, one Call per request. */

import type { Goals } from "../core/goal/goals.ts";
import type { Accounts } from "../core/ports/accounts.ts";
import type { Clock, Ids } from "../core/ports/clock.ts";
import type { CommandRunner, RunningCommand } from "../core/ports/command-runner.ts";
import type { Config, ConfigStore } from "../core/ports/config.ts";
import type { CorePorts } from "../core/ports/core-ports.ts";
import type { FileSearch } from "../core/ports/file-search.ts";
import type { Git } from "../core/ports/git.ts";
import type { Lists } from "../core/ports/lists.ts";
import type { Log } from "../core/ports/log.ts";
import type { McpServers } from "../core/ports/mcp.ts";
import type { Memories } from "../core/ports/memories.ts";
import type { Migration } from "../core/ports/migration.ts";
import type { ModelCatalog } from "../core/ports/model-client.ts";
import type { Plugins } from "../core/ports/plugins.ts";
import type { Repositories } from "../core/ports/repository.ts";
import type { Skills } from "../core/ports/skills.ts";
import type { StoredThread, ThreadRecord, ThreadStore } from "../core/ports/thread-store.ts";
import type { UndoStore } from "../core/ports/undo-store.ts";
import type { Usage } from "../core/ports/usage.ts";
import type { Workspace } from "../core/ports/workspace.ts";
import type { SubmissionQueue } from "../core/queue/queue.ts";
import type { Threads } from "../core/thread/threads.ts";
import type { JsonText } from "../lib/json-text.ts";
import type { OrderedRuns } from "../lib/ordered-runs.ts";
import type { ProviderChoice } from "../protocol/account.ts";
import type { ParamsOf, ResultOf } from "../protocol/define.ts";
import type { ServerNotifications } from "../protocol/methods.ts";
import type { SessionSource } from "../protocol/policy.ts";
import type { Id, Peer } from "../rpc/peer.ts";
import type { PageTexts } from "./listed-page.ts";
import type { Relay } from "./relay/relay.ts";
import type { Subscriptions } from "./subscriptions.ts";
import type { WireCheck } from "./wire-check.ts";
import type { KeptTurns } from "./written-turns.ts";

export interface App {
  readonly version: string;
  readonly codexHome: string;
  /** Name, version and architecture of the operating system, for the user agent. */
  readonly system: string;
  readonly config: ConfigStore;
  /** Why no model would answer with these settings; see CorePorts. */
  chooseModel: CorePorts["chooseModel"];
  whyNoModel(config: Config, provider: string): string | undefined;
  readonly catalog: ModelCatalog;
  /** The model providers that a person can set up; with `findLocal`, which of the local ones run, and with which models. */
  providers(findLocal?: boolean): Promise<readonly ProviderChoice[]>;
  readonly migration: Migration;
  /** Lists the configured provider's models with its key, which costs no tokens. Throws what the provider answered. */
  askProvider(signal: AbortSignal): Promise<void>;
  readonly accounts: Accounts;
  readonly skills: Skills;
  readonly plugins: Plugins;
  readonly usage: Usage;
  readonly mcp: McpServers;
  readonly store: ThreadStore;
  readonly memories: Memories;
  /** Sections, projects, attachments and read marks. */
  readonly lists: Lists;
  readonly threads: Threads;
  readonly queue: SubmissionQueue;
  readonly goals: Goals;
  readonly git: Git;
  /** A person's own work with repositories; loaded when it is first used. */
  readonly repositories: () => Promise<Repositories>;
  readonly fileSearch: FileSearch;
  readonly workspace: Workspace;
  readonly undo: UndoStore;
  readonly runner: CommandRunner;
  /** Folders of the machine that must never be changed. */
  readonly places: CorePorts["places"];
  /** How a config's rules classify commands. */
  readonly execPolicy: CorePorts["execPolicy"];
  /** Whether there are any rules. */
  hasRules(config: Config): boolean;
  /** The environment variables that commands get under a config's policy. */
  commandEnv(config: Config): Readonly<Record<string, string>>;
  /** The user's login shell. */
  shell(): { readonly name: string; readonly path: string };
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly subscriptions: Subscriptions;
  /** Threads of pages as lists show them while they are neither loaded nor in a section: as JSON, for as long as the store has the same page. */
  readonly threadTexts: WeakMap<readonly StoredThread[], PageTexts>;
  /** The turns in records as JSON, for as long as the store has the same records. */
  readonly turnTexts: WeakMap<readonly ThreadRecord[], KeptTurns>;
  /** Conversations about threads that other processes on this home run. */
  readonly relay: Relay;
  /** Set in tests. */
  readonly wireCheck: WireCheck | undefined;
  /** Runs requests with the same order key in the order of their arrival, across all connections. */
  readonly runs: OrderedRuns;
  openLegacy(session: Session): LegacyAdapter;
  /** `--compat`: the dialect of every connection that does not choose one itself. */
  readonly compat: Dialect | undefined;
  /** Called before each request: what was read of the settings' files before it no longer counts. */
  requestCame(): void;
  /** Ends every turn and command and closes the store. */
  close(): Promise<void>;
}

/** The generations of clients. "0.92" is that of the documents, "seed-000" the editor document's variant of it, "0.166" the current one. */
export type Dialect = "seed-000" | "0.92" | "0.166";

/** Serves the v1 API on one connection; an adapter that is itself a client. */
export interface LegacyAdapter {
  request(method: string, params: unknown): Promise<unknown>;
  close(): void;
}

export interface Session {
  readonly id: number;
  readonly peer: Peer;
  readonly transport: "stdio" | "websocket" | "unix" | "memory";
  /** The source recorded for threads that are started on this connection. */
  readonly source: SessionSource;
  /** Nobody can answer questions: the model does not get the tool for asking. */
  readonly unattended: boolean;
  /** The responses are not read by a person: without a model turns fail, instead of playing the offline tour. */
  readonly needsModel: boolean;
  /** Stores threads when they are started: the client may return to a thread without messages. */
  readonly keepsUnused: boolean;
  /** The client of another process on this home, which passes the conversation on to us. */
  readonly isRelayed: boolean;
  /** The client's connection, if this one is an adapter's connection inside the process. */
  readonly onBehalfOf: Session | undefined;
  /** Receives the raw model items of all its threads, not only of those that request them. */
  readonly receivesRaw: boolean;
  client: { readonly name: string; readonly title: string | null; readonly version: string };
  /** The originator recorded for threads that are started on this connection. */
  originator: string;
  /** The user agent sent to the client and to model providers. */
  userAgent: string;
  initialized: boolean;
  dialect: Dialect;
  experimental: boolean;
  optOut: ReadonlySet<string>;
  /** Offers terminals to commands that run outside the sandbox. */
  terminals: boolean;
  /** The v1 API on this connection, once one of its methods was used: it sends the `codex/event/*` notifications. */
  legacy: LegacyAdapter | undefined;
  notify<M extends keyof ServerNotifications>(method: M, params: ParamsOf<ServerNotifications[M]>): void;
  /** Fields without effect that this client was already warned about. */
  readonly warned: Set<string>;
  /** The client's own running commands, by process id. */
  readonly processes: Map<string, NamedCommand>;
  /** The client's own programs without a sandbox, by handle. */
  readonly spawned: Map<string, NamedCommand>;
  /** Number of running commands and programs of both kinds. */
  commands: number;
  /** Callbacks that end this session's watches, searches and processes when the connection closes. */
  readonly onClose: Set<() => void>;
  /** Running `thread/sample` requests, by id. */
  readonly samples: Map<Id, AbortController>;
}

/** A client's command with a process id; registered before it has started. */
export interface NamedCommand {
  readonly starting: Promise<RunningCommand>;
  readonly takesInput: boolean;
  readonly tty: boolean;
}

export interface Call {
  /** The id of the request, as the client sent it; empty for calls of the server itself. */
  readonly id: Id;
  readonly app: App;
  readonly session: Session;
  /** Runs after the response was sent: for notifications that the request causes. */
  after(run: () => void): void;
}

/** Methods that answer with text where they can: theirs are long lists. */
type Written = "thread/list" | "thread/read" | "thread/resume";
type AnswerOf<M, Result> = M extends Written ? Result | JsonText<Result> : Result;

/** One function per row of a method table; a missing or misspelled row does not compile. */
export type HandlersFor<Table> = {
  readonly [M in keyof Table]: (
    params: ParamsOf<Table[M]>,
    call: Call,
  ) => AnswerOf<M, ResultOf<Table[M]>> | Promise<AnswerOf<M, ResultOf<Table[M]>>>;
};

/** Whether a client belongs to the documents' generation, for which some messages are kept. */
export const isOlder = (session: Session): boolean => session.dialect !== "0.166";

/** An adapter's own connection acts on behalf of the client on its other side. */
export function calledBy(session: Session): { readonly originator: string; readonly userAgent: string } {
  const { originator, userAgent } = session.onBehalfOf ?? session;
  return { originator, userAgent };
}
