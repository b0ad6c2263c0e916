/** What the page needs from whatever stands behind it. The screens know only this; the manager's HTTP and websocket are one implementation. */
import type { RouteName, RouteOutput } from "../../../../src/manager/api.ts";
import type { StreamEvent } from "../../../../src/manager/events.ts";
import type { ThreadPage } from "../state/fold.ts";
import type { HookWord } from "../state/hooks.ts";
import type { Looking } from "../state/looked-at.ts";
import type { MessageOverrides, OutgoingMessage, PendingRequest, Project, SessionSummary } from "../state/model.ts";
import type { PluginDetail, PluginFacts } from "../state/plugins.ts";
import type { SettingsTab } from "../state/router.ts";

export type { StreamEvent };
export type Answer<K extends RouteName> = RouteOutput<K>;
export type Models = Answer<"GET /api/models">["data"];
export type Skills = Answer<"GET /api/skills">["data"][number]["skills"];
export type HookFolders = Answer<"GET /api/hooks">["data"];
export type Hook = HookFolders[number]["hooks"][number];
export type McpServers = Answer<"GET /api/mcp/servers">["data"];
export type Devices = Answer<"GET /api/devices">["data"];
export type Me = Answer<"GET /api/auth/me">;
export type Rules = Answer<"GET /api/rules">;
export type AuditPage = Answer<"GET /api/audit">;
export type Capabilities = Answer<"GET /api/capabilities">;
export type SandboxFacts = NonNullable<Capabilities["runtime"]["sandbox"]>;
export type Account = Answer<"GET /api/account">;
export type Provider = Answer<"GET /api/account/providers">["data"][number];
export interface WantedModel {
  readonly apiKey: string;
  /** What the provider refuses is not kept then. */
  readonly check: boolean;
  /** Left out where the engine lists no providers: then the key is OpenAI's. */
  readonly provider?: string;
  readonly model?: string;
}
export interface ModelSetUp {
  /** False where the engine cannot check. */
  readonly checked: boolean;
  readonly model: string | undefined;
}
export type RateLimits = Answer<"GET /api/account/rate-limits">["rateLimits"];
export type FoundFile = Answer<"GET /api/sessions/:sessionId/files">["data"][number];
export type SessionDiff = Pick<Answer<"GET /api/sessions/:sessionId/diff">, "diff" | "inexact" | "truncated">;
export type Scope = Me["scope"];

/** What the engine says of a model that it was to set up. */
export const modelSetUp = (answer: Answer<"POST /api/account/login/start">): ModelSetUp =>
  answer.type === "apiKey" ? { checked: answer.checked === true, model: answer.model } : { checked: false, model: undefined };

/** Something the server refused, in words for people. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  readonly body: unknown;
  constructor(status: number, code: string, message: string, body: unknown) {
    super(message);
    this.status = status;
    this.code = code;
    this.body = body;
  }
}

export interface Listener {
  event(event: StreamEvent): void;
  link(link: "connecting" | "online" | "offline"): void;
  /** Events were missed for good: read everything again. */
  resync(): void;
  /** Why, in the manager's words, where it has some. */
  signedOut(why?: Refused): void;
}

export interface SessionPage {
  readonly sessions: readonly SessionSummary[];
  readonly nextCursor: string | null;
  /** Events up to this number are contained; left out where answers and events come in order on one line. */
  readonly seq?: number;
}
export interface SessionQuery {
  readonly archived?: boolean;
  readonly cursor?: string;
  readonly search?: string;
}
export interface NewSession extends MessageOverrides {
  readonly cwd?: string;
  readonly projectId?: string;
  /** Makes the folder where there is none. */
  readonly createFolder?: boolean;
}
export type ReviewTarget =
  | { readonly targetType: "uncommittedChanges" }
  | { readonly targetType: "baseBranch"; readonly branch: string }
  | { readonly targetType: "commit"; readonly sha: string }
  | { readonly targetType: "custom"; readonly instructions: string };
export type RequestAnswer = { readonly response: unknown; readonly note?: string } | { readonly error: { readonly message: string } };

export type FilesOnRollback = "keep" | "restore" | "force";

/** What stands behind the page beside sessions. Screens leave out what is not there. */
export interface Offers {
  /** What people know the other side as, in sentences such as "The … cannot be reached". */
  readonly name: string;
  readonly projects: boolean;
  /** The pages of settings; the surroundings may have some of their own. */
  readonly settings: readonly SettingsTab[];
}

export type Upgraded = Answer<"POST /api/marketplaces/upgrade">;

/** Plugins, by ids `name@marketplace`, and the marketplaces that they come from. */
export interface PluginCalls {
  list(): Promise<PluginFacts>;
  read(pluginId: string): Promise<PluginDetail>;
  install(pluginId: string): Promise<void>;
  uninstall(pluginId: string): Promise<void>;
  setEnabled(pluginId: string, enabled: boolean): Promise<void>;
  /** Agrees to the content that was looked at, by its digest. */
  accept(pluginId: string, content: string): Promise<void>;
  /** From a folder or a git repository. Returns the marketplace's name. */
  addMarketplace(source: string, refName: string | null): Promise<string>;
  upgradeMarketplace(name: string): Promise<Upgraded>;
  removeMarketplace(name: string): Promise<void>;
}

export interface Connection {
  readonly offers: Offers;
  /** What the person looks at beside the page, where the surroundings say. */
  readonly looking?: Looking;
  /** Shows the files of a change in the surroundings' own view of differences, where there is one. */
  showChange?(request: PendingRequest): void;
  /** Connects and keeps connecting until `close`. */
  open(listener: Listener): void;
  close(): void;
  /** The sessions whose every event is wanted, beside the state of all. */
  watch(sessionIds: readonly string[]): void;

  me(): Promise<Me>;
  signIn(code: string, name: string): Promise<Me>;
  signOut(): Promise<void>;

  sessions(query: SessionQuery): Promise<SessionPage>;
  turns(sessionId: string, cursor: string | null): Promise<ThreadPage & { readonly session: SessionSummary }>;
  /** What the whole session, or the last turn that changed any, did to files; where it is missing the page shows the patches it knows. */
  diff?(sessionId: string, scope: "session" | "turn"): Promise<SessionDiff>;
  start(options: NewSession): Promise<SessionSummary>;
  resume(sessionId: string): Promise<SessionSummary>;
  send(message: OutgoingMessage): Promise<"started" | "steered" | "queued">;
  unqueue(sessionId: string, messageId: string): Promise<void>;
  interrupt(sessionId: string): Promise<void>;
  rename(sessionId: string, title: string): Promise<void>;
  archive(sessionId: string, archived: boolean): Promise<void>;
  remove(sessionId: string): Promise<void>;
  fork(sessionId: string): Promise<SessionSummary>;
  /** Refused with the code `files_changed` where files were to be put back and somebody else has changed them since. */
  rollback(sessionId: string, numTurns: number, files: FilesOnRollback): Promise<void>;
  compact(sessionId: string): Promise<void>;
  review(sessionId: string, target: ReviewTarget): Promise<string>;
  assign(sessionId: string, projectId: string | null): Promise<void>;
  setControls(sessionId: string, controls: NonNullable<SessionSummary["sessionControls"]>): Promise<void>;

  projects(): Promise<readonly Project[]>;
  makeProject(name: string, workingDirectory: string | null): Promise<Project>;
  renameProject(projectId: string, name: string, workingDirectory: string | null): Promise<void>;
  removeProject(projectId: string): Promise<void>;

  pending(): Promise<readonly PendingRequest[]>;
  answer(request: PendingRequest, answer: RequestAnswer): Promise<void>;
  /** Lets a tool of an MCP server run unasked from now on, where the page may change settings. */
  allowTool?(server: string, tool: string): Promise<void>;
  /** Lets a request that would end by itself wait, where that can be done. */
  keep?(requestId: string): Promise<void>;

  models(): Promise<Models>;
  skills(cwd: string): Promise<Skills>;
  files(sessionId: string, query: string): Promise<readonly FoundFile[]>;
  capabilities(): Promise<Capabilities>;
  account(): Promise<Account>;
  /** The model providers to choose from. */
  providers(): Promise<readonly Provider[]>;
  /** Gives the engine a provider's key and the model to use, where the page may. */
  setUpModel?(wanted: WantedModel): Promise<ModelSetUp>;
  /** Takes the engine's account away. */
  dropAccount?(): Promise<void>;
  rateLimits(): Promise<RateLimits>;
  mcpServers(): Promise<McpServers>;
  mcpLogin(name: string): Promise<string>;
  mcpReload(): Promise<void>;

  /** The hooks of the folders that are worked in. */
  hooks(): Promise<HookFolders>;
  setHook(key: string, word: HookWord): Promise<void>;
  readonly plugins: PluginCalls;

  devices(): Promise<Devices>;
  revoke(deviceId: string): Promise<void>;
  makeLink(scope: Scope, name: string): Promise<{ readonly url: string; readonly expiresAt: string }>;
  rules(): Promise<Rules>;
  addRule(rule: {
    readonly pattern: string[];
    readonly decision: "allow" | "prompt" | "forbidden";
    readonly expiresAt: string | null;
  }): Promise<Rules>;
  changeRule(
    ruleId: string,
    rule: { readonly pattern?: string[]; readonly decision?: "allow" | "prompt" | "forbidden"; readonly expiresAt?: string | null },
  ): Promise<Rules>;
  removeRule(ruleId: string): Promise<Rules>;
  audit(before: number | null): Promise<AuditPage>;
  /** The whole audit log as a file. */
  exportAudit(): Promise<Blob>;
}
