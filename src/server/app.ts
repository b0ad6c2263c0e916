/** What a handler may use: one App for each process, one Session for each connection, one Call for each request. */
import type { Accounts } from "../core/ports/accounts.ts";
import type { Clock, Ids } from "../core/ports/clock.ts";
import type { CommandRunner, RunningCommand } from "../core/ports/command-runner.ts";
import type { Config, ConfigStore } from "../core/ports/config.ts";
import type { CorePorts } from "../core/ports/core-ports.ts";
import type { FileSearch } from "../core/ports/file-search.ts";
import type { Git } from "../core/ports/git.ts";
import type { Log } from "../core/ports/log.ts";
import type { McpServers } from "../core/ports/mcp.ts";
import type { ModelCatalog } from "../core/ports/model-client.ts";
import type { Plugins } from "../core/ports/plugins.ts";
import type { Skills } from "../core/ports/skills.ts";
import type { ThreadStore } from "../core/ports/thread-store.ts";
import type { UndoStore } from "../core/ports/undo-store.ts";
import type { Usage } from "../core/ports/usage.ts";
import type { Workspace } from "../core/ports/workspace.ts";
import type { Threads } from "../core/thread/threads.ts";
import type { OrderedRuns } from "../lib/ordered-runs.ts";
import type { ProviderChoice } from "../protocol/account.ts";
import type { ParamsOf, ResultOf } from "../protocol/define.ts";
import type { ServerNotifications } from "../protocol/methods.ts";
import type { SessionSource } from "../protocol/policy.ts";
import type { Peer } from "../rpc/peer.ts";
import type { Subscriptions } from "./subscriptions.ts";
import type { WireCheck } from "./wire-check.ts";

export interface App {
  readonly version: string;
  readonly codexHome: string;
  /** Name, version and processor of the operating system, for the user agent. */
  readonly system: string;
  readonly config: ConfigStore;
  /** Why no model would answer for these settings; see CorePorts. */
  whyNoModel(config: Config, provider: string): string | undefined;
  readonly catalog: ModelCatalog;
  /** The model providers that a person can set up. */
  providers(): Promise<readonly ProviderChoice[]>;
  readonly accounts: Accounts;
  readonly skills: Skills;
  readonly plugins: Plugins;
  readonly usage: Usage;
  readonly mcp: McpServers;
  readonly store: ThreadStore;
  readonly threads: Threads;
  readonly git: Git;
  readonly fileSearch: FileSearch;
  readonly workspace: Workspace;
  readonly undo: UndoStore;
  readonly runner: CommandRunner;
  /** Folders of the machine that no change may reach. */
  readonly places: CorePorts["places"];
  /** What the rules of a config say of commands. */
  readonly execPolicy: CorePorts["execPolicy"];
  /** Whether somebody has written any. */
  hasRules(config: Config): boolean;
  /** The environment that commands get under a config's policy. */
  commandEnv(config: Config): Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly subscriptions: Subscriptions;
  /** Set in tests. */
  readonly wireCheck: WireCheck | undefined;
  /** Keeps requests of one order key in the order they came, over all connections. */
  readonly runs: OrderedRuns;
  openLegacy(session: Session): LegacyAdapter;
  /** `--compat`: the dialect for every connection that does not choose one itself. */
  readonly compat: Dialect | undefined;
  /** Ends every turn and command and closes the store. */
  close(): Promise<void>;
}

/** The generations of clients. "0.92" is the documents' own, "seed-000" the editor document's spelling of it, "0.166" today's. */
export type Dialect = "seed-000" | "0.92" | "0.166";

/** Serves the older API on one connection; an adapter that is itself a client. */
export interface LegacyAdapter {
  request(method: string, params: unknown): Promise<unknown>;
  close(): void;
}

export interface Session {
  readonly id: number;
  readonly peer: Peer;
  readonly transport: "stdio" | "websocket" | "unix" | "memory";
  /** Where threads that are started here count as coming from. */
  readonly source: SessionSource;
  /** Nobody is there to answer questions: the model is not offered to ask any. */
  readonly unattended: boolean;
  /** No person reads what comes back as it is: without a model turns fail, and the offline tour does not play. */
  readonly needsModel: boolean;
  /** Threads are stored when they are started: the client may come back to one in which nothing was said yet. */
  readonly keepsUnused: boolean;
  /** The connection whose reader counts, where this one is an adapter's inside the process. */
  readonly onBehalfOf: Session | undefined;
  /** It hears the model's items of all its threads, not only of those it asks this for. */
  readonly receivesRaw: boolean;
  client: { readonly name: string; readonly title: string | null; readonly version: string };
  /** Who threads that are started here are said to come from. */
  originator: string;
  /** As the client was told it, and as models are called with it. */
  userAgent: string;
  initialized: boolean;
  dialect: Dialect;
  experimental: boolean;
  optOut: ReadonlySet<string>;
  /** The older conversation API on this connection, once one of its methods was used: `codex/event/*` come through it. */
  legacy: LegacyAdapter | undefined;
  notify<M extends keyof ServerNotifications>(method: M, params: ParamsOf<ServerNotifications[M]>): void;
  /** Warnings about fields without effect that it was given already. */
  readonly told: Set<string>;
  /** The client's own running commands, by the names it gave them. */
  readonly processes: Map<string, NamedCommand>;
  /** How many commands of `command/exec` run. */
  commands: number;
  /** Run when the connection ends: watches, searches and processes of this session. */
  readonly onClose: Set<() => void>;
}

/** A command that the client runs under a name; it is known by it before it has started. */
export interface NamedCommand {
  readonly starting: Promise<RunningCommand>;
  readonly takesInput: boolean;
  readonly tty: boolean;
}

export interface Call {
  readonly app: App;
  readonly session: Session;
  /** Runs once the answer was sent: for notifications that the request causes. */
  after(run: () => void): void;
}

/** One function for each row of a method table; a missing or misspelt row does not compile. */
export type HandlersFor<Table> = {
  readonly [M in keyof Table]: (params: ParamsOf<Table[M]>, call: Call) => ResultOf<Table[M]> | Promise<ResultOf<Table[M]>>;
};

/** Whether a client is of the documents' generation, which some messages are kept for. */
export const isOlder = (session: Session): boolean => session.dialect !== "0.166";

/** An adapter's own connection speaks for the client on the other side of it. */
export function calledBy(session: Session): { readonly originator: string; readonly userAgent: string } {
  const { originator, userAgent } = session.onBehalfOf ?? session;
  return { originator, userAgent };
}
