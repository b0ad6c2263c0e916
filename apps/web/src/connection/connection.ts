/** What the page needs from its backend. The screens know only this; the manager's HTTP and websocket are one implementation. */
import type { RouteName, RouteOutput } from "../../../../src/manager/api.ts";
import type { StreamEvent } from "../../../../src/manager/events.ts";
import type { ThreadPage } from "../state/fold.ts";
import type { HookWord } from "../state/hooks.ts";
import type { Looking } from "../state/looked-at.ts";
import type { FilesOnRollback, MessageOverrides, OutgoingMessage, PendingRequest, Project, SessionSummary } from "../state/model.ts";
import type { PluginDetail, PluginFacts } from "../state/plugins.ts";
import type { SettingsTab } from "../state/router.ts";
import type { MoreCalls } from "./more-calls.ts";
import type { ToolCalls } from "./tools.ts";

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
  /** If set, a key that the provider refuses is not stored. */
  readonly check: boolean;
  /** Omitted if the engine lists no providers: then the key is OpenAI's. */
  readonly provider?: string;
  readonly model?: string;
}
export interface ModelSetUp {
  /** False if the engine cannot check it. */
  readonly checked: boolean;
  readonly model: string | undefined;
}
export type RateLimits = Answer<"GET /api/account/rate-limits">["rateLimits"];
export type FoundFile = Answer<"GET /api/sessions/:sessionId/files">["data"][number];
export type SessionDiff = Pick<Answer<"GET /api/sessions/:sessionId/diff">, "diff" | "inexact" | "truncated">;
export type SessionGit = Answer<"GET /api/sessions/:sessionId/git">;
export type GitStatus = NonNullable<SessionGit["repository"]>;
export type GitDiff = Answer<"GET /api/sessions/:sessionId/git/diff">;
export type GitFile = GitDiff["files"][number];
export type GitFolder = Answer<"GET /api/git">["repository"];
export type PullRequest = NonNullable<SessionGit["pullRequest"]>;
export type RollbackCheck = Answer<"GET /api/sessions/:sessionId/rollback/check">;
export interface GitCommit {
  readonly message: string;
  /** The current branch if omitted. */
  readonly branch?: string;
  readonly all: boolean;
}
export interface PullRequestDraft {
  readonly title: string;
  readonly body: string;
  readonly draft: boolean;
}
export type Scope = Me["scope"];

export type LoginKind = "chatgpt" | "chatgptDeviceCode";
/** A sign-in that waits for the person. */
export interface Login {
  readonly loginId: string;
  readonly url: string;
  /** To be entered at the address; null if the address is enough. */
  readonly code: string | null;
}
export function loginOf(answer: Answer<"POST /api/account/login/start">): Login {
  if (answer.type === "chatgpt") return { loginId: answer.loginId, url: answer.authUrl, code: null };
  if (answer.type === "chatgptDeviceCode") return { loginId: answer.loginId, url: answer.verificationUrl, code: answer.userCode };
  throw new Refused(501, "not_offered", "The engine offers no such sign-in.", null);
}

/** The engine's result of setting up a model. */
export const modelSetUp = (answer: Answer<"POST /api/account/login/start">): ModelSetUp =>
  answer.type === "apiKey" ? { checked: answer.checked === true, model: answer.model } : { checked: false, model: undefined };

/** A request that the server refused, with a message for people. */
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
  /** Events were lost: reload everything. */
  resync(): void;
  /** The manager's reason, if it sent one. */
  signedOut(why?: Refused): void;
}

export interface SessionPage {
  readonly sessions: readonly SessionSummary[];
  readonly nextCursor: string | null;
  /** Events up to this number are included; omitted if responses and events arrive in order on one connection. */
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
  /** Creates the folder if it does not exist. */
  readonly createFolder?: boolean;
  /** Works in a new git worktree of its own. */
  readonly worktree?: boolean;
}
export type ReviewTarget =
  | { readonly targetType: "uncommittedChanges" }
  | { readonly targetType: "baseBranch"; readonly branch: string }
  | { readonly targetType: "commit"; readonly sha: string }
  | { readonly targetType: "custom"; readonly instructions: string };
export type RequestAnswer = { readonly response: unknown; readonly note?: string } | { readonly error: { readonly message: string } };

/** What the backend offers besides sessions. Screens omit what is missing. */
export interface Offers {
  /** The user-visible name of the other side, in sentences such as "The … cannot be reached". */
  readonly name: string;
  readonly projects: boolean;
  /** The settings pages; the host may have some of its own. */
  readonly settings: readonly SettingsTab[];
}

export type Upgraded = Answer<"POST /api/marketplaces/upgrade">;

/** Plugins, by id `name@marketplace`, and the marketplaces they come from. */
export interface PluginCalls {
  list(): Promise<PluginFacts>;
  read(pluginId: string): Promise<PluginDetail>;
  install(pluginId: string): Promise<void>;
  uninstall(pluginId: string): Promise<void>;
  setEnabled(pluginId: string, enabled: boolean): Promise<void>;
  /** Accepts the content that was shown, by its digest. */
  accept(pluginId: string, content: string): Promise<void>;
  /** From a folder or a git repository. Returns the marketplace's name. */
  addMarketplace(source: string, refName: string | null): Promise<string>;
  upgradeMarketplace(name: string): Promise<Upgraded>;
  removeMarketplace(name: string): Promise<void>;
}

/** The repository that a session works in. */
export interface GitCalls {
  folder(cwd: string): Promise<GitFolder>;
  /** With `refresh` the pull request and its checks are asked for again. */
  status(sessionId: string, refresh: boolean): Promise<SessionGit>;
  diff(sessionId: string, scope: "staged" | "unstaged" | "branch"): Promise<GitDiff>;
  stage(sessionId: string, change: { scope: "staged" | "unstaged"; path: string; id: string; hunk?: number }): Promise<void>;
  /** Both return an id that `restore` accepts. */
  revertFile(sessionId: string, change: { scope: "unstaged" | "branch"; path: string; id: string }): Promise<string>;
  revertPatch(sessionId: string, patch: string, of: "session" | "repository"): Promise<string>;
  restore(sessionId: string, undoId: string): Promise<readonly { readonly path: string; readonly reason: string }[]>;
  draft(sessionId: string, scope: "staged" | "all" | "branch"): Promise<string>;
  /** As in a terminal: with the repository's hooks, which needs every right. */
  commit(sessionId: string, commit: GitCommit, asInTerminal: boolean): Promise<string>;
  push(sessionId: string): Promise<string>;
  openPullRequest(sessionId: string, draft: PullRequestDraft): Promise<PullRequest>;
  /** Refused with the code `conflicts`, which names them; then nothing was changed. */
  mergeWorktree(sessionId: string): Promise<string>;
  /** The ref under which its content was kept, if it had any of its own. */
  discardWorktree(sessionId: string): Promise<string | null>;
}

export interface Connection extends MoreCalls {
  readonly offers: Offers;
  /** What the user is viewing outside the page, if the host reports it. */
  readonly looking?: Looking;
  /** Shows the files of a change in the host's own diff view, if it has one. */
  showChange?(request: PendingRequest): void;
  /** Connects, and reconnects until `close`. */
  open(listener: Listener): void;
  close(): void;
  /** The sessions to receive every event of, besides the state of all. */
  watch(sessionIds: readonly string[]): void;

  me(): Promise<Me>;
  signIn(code: string, name: string): Promise<Me>;
  signOut(): Promise<void>;

  sessions(query: SessionQuery): Promise<SessionPage>;
  turns(sessionId: string, cursor: string | null): Promise<ThreadPage & { readonly session: SessionSummary }>;
  /** What the whole session, or the last turn that changed any, did to files; if it is missing the page shows the patches it knows. */
  diff?(sessionId: string, scope: "session" | "turn"): Promise<SessionDiff>;
  start(options: NewSession): Promise<SessionSummary>;
  resume(sessionId: string): Promise<SessionSummary>;
  send(message: OutgoingMessage): Promise<"started" | "steered" | "queued">;
  unqueue(sessionId: string, messageId: string): Promise<void>;
  interrupt(sessionId: string): Promise<void>;
  rename(sessionId: string, title: string): Promise<void>;
  archive(sessionId: string, archived: boolean): Promise<void>;
  remove(sessionId: string): Promise<void>;
  /** With the whole history, or with what was before a turn. */
  fork(sessionId: string, beforeTurnId?: string): Promise<SessionSummary>;
  /** What restoring the files of the last turns would do; if it is missing, conflicts are only found by trying. */
  checkRollback?(sessionId: string, numTurns: number): Promise<RollbackCheck>;
  /** Restores files only, and leaves the conversation; if it is missing, that is not offered. */
  restoreFiles?(sessionId: string, numTurns: number, files: Exclude<FilesOnRollback, "keep">): Promise<void>;
  /** Refused with the code `files_changed` if files were to be restored and somebody else has changed them since. */
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
  /** Lets a tool of an MCP server run without approval from now on, if the page may change settings. */
  allowTool?(server: string, tool: string): Promise<void>;
  /** Removes a request's time limit, if that is possible. */
  keep?(requestId: string): Promise<void>;

  models(): Promise<Models>;
  skills(cwd: string): Promise<Skills>;
  files(sessionId: string, query: string): Promise<readonly FoundFile[]>;
  capabilities(): Promise<Capabilities>;
  account(): Promise<Account>;
  /** The model providers to choose from; local ones that run come first. */
  providers(): Promise<readonly Provider[]>;
  /** Sets the engine's provider key and model, if the page may do that. */
  setUpModel?(wanted: WantedModel): Promise<ModelSetUp>;
  /** Starts to sign the engine in with a ChatGPT account; its end is an event. */
  startLogin?(kind: LoginKind): Promise<Login>;
  cancelLogin?(loginId: string): Promise<void>;
  /** Signs the engine out of its account. */
  dropAccount?(): Promise<void>;
  rateLimits(): Promise<RateLimits>;
  /** What a session has cost so far, in US dollars; null where a price is not known. */
  cost?(sessionId: string): Promise<number | null>;
  mcpServers(): Promise<McpServers>;
  mcpLogin(name: string): Promise<string>;
  mcpReload(): Promise<void>;

  /** The hooks of the working folders. */
  hooks(): Promise<HookFolders>;
  setHook(key: string, word: HookWord): Promise<void>;
  readonly plugins: PluginCalls;
  /** Only where a manager is on the other side. */
  readonly tools?: ToolCalls;
  /** If it is missing, changes are those of the turns, and repositories are left to other programs. */
  readonly git?: GitCalls;

  devices(): Promise<Devices>;
  revoke(deviceId: string): Promise<void>;
  makeLink(scope: Scope, name: string): Promise<{ readonly url: string; readonly urls?: readonly string[]; readonly expiresAt: string }>;
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
