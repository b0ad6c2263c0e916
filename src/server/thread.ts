/** `thread/*`: starts, resumes, forks and archives threads. */
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { ThreadSettings } from "../core/ports/settings.ts";
import { ThreadHeld } from "../core/ports/thread-store.ts";
import { activeProfile } from "../core/settings/file-rules.ts";
import { changed, type SettingsChange } from "../core/settings/settings.ts";
import type { LiveThread } from "../core/thread/thread.ts";
import { checkId, type ForkPoint, type StartOptions } from "../core/thread/threads.ts";
import { warmUp } from "../core/thread/warm-up.ts";
import { compactTurn } from "../core/turn/compact-turn.ts";
import { checkDynamicTools } from "../protocol/dynamic-tool.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { AskForApproval, SandboxPolicy } from "../protocol/policy.ts";
import { type SettingParams, settingsIn, shownSettings } from "../protocol/settings.ts";
import type {
  ThreadForkParams,
  ThreadResumeParams,
  ThreadStartParams,
  ThreadStartResponse,
  ThreadStatus,
  threadRequests,
} from "../protocol/thread.ts";
import type { threadChangeRequests } from "../protocol/thread-change.ts";
import type { Turn } from "../protocol/turn.ts";
import { RunsElsewhere } from "../relay/messages.ts";
import { type App, type Call, calledBy, type HandlersFor, type Session } from "./app.ts";
import { environmentChange } from "./environments.ts";
import { awaitRequired, startServers } from "./mcp.ts";
import { asSoleWriter, findThread, readRecords, threadFromStored, writtenStoredTurns } from "./stored-thread.ts";
import { pageOfTurns } from "./thread-list.ts";
import { readStateOf, withPlace } from "./thread-place.ts";
import { revertTo, rollBack } from "./thread-revert.ts";
import { announceConfigChanges, collaborationModeOf } from "./thread-settings.ts";
import { asksForTour, noteIfProgram } from "./tour.ts";
import { noTurns, withWrittenTurns, writtenTurnsOf } from "./written-turns.ts";

export const threadHandlers: HandlersFor<typeof threadRequests & typeof threadChangeRequests> = {
  async "thread/start"(params, call) {
    const { app, session } = call;
    checkDynamicTools(params.dynamicTools ?? []);
    if (params.projectId) await checkProject(params.projectId, app);
    app.subscriptions.checkSubscriptionLimit(session);
    const thread = await app.threads.start(startOptions(params, call));
    if (session.unattended) thread.clients.leaveUnattended();
    await awaitRequired(thread, app);
    if (asksForTour(params)) thread.clients.askForTour();
    if (session.keepsUnused) await thread.keep();
    if (params.projectId && !thread.ephemeral)
      await app.lists.projects.assign({ id: thread.id, usedMs: app.clock.now() }, params.projectId);
    await announce(thread, call);
    app.subscriptions.subscribe(session, thread.id, params.experimentalRawEvents === true || session.receivesRaw);
    return await opened(thread, call);
  },

  async "thread/resume"(params, call) {
    const { app, session } = call;
    refuseOtherThanRunning(params, app);
    if (params.history) return await resumeHistory(params, call);
    checkDynamicTools(params.dynamicTools ?? []);
    const id = params.path ? await app.store.adopt(params.path) : params.threadId;
    app.subscriptions.checkSubscriptionLimit(session, id);
    const wasLoaded = app.threads.find(id) !== undefined;
    const resumed = app.threads.resume(id, {
      ...changeFrom(params),
      config: params.config,
      dynamicTools: params.dynamicTools,
      ...calledBy(session),
      runsElsewhere: () => app.relay.canPass(call, id),
    });
    const thread = await resumed.catch((error: unknown) => {
      throw error instanceof ThreadHeld ? new RunsElsewhere(id) : error;
    });
    call.after(() => thread.goOn());
    // A thread that somebody else has open keeps its person.
    if (session.unattended && !wasLoaded) thread.clients.leaveUnattended();
    if (!wasLoaded) await awaitRequired(thread, app);
    // A script's thread was answered by the tour only if it was requested: it continues the same way.
    if (asksForTour(params) || thread.meta.source === "exec") thread.clients.askForTour();
    app.subscriptions.subscribe(session, thread.id);
    if (wasLoaded) warnNotApplied(thread, params, call);
    if (!wasLoaded)
      call.after(() => {
        announceStatus(id, thread.status(), app);
        warnOfBrokenRules(thread, app);
        startServers(thread, app);
      });
    if (!wasLoaded) call.after(() => warmUpInBackground(thread));
    const turns = params.excludeTurns === true ? noTurns : await writtenTurnsOf(thread, "thread/resume", app);
    if (params.excludeTurns !== true) sendUsage(thread, turns.lastId, call);
    call.after(() => {
      const failed = (error: unknown): void => app.log.warn("a goal could not be read", { threadId: id, error: String(error) });
      app.goals.snapshot(thread.id).catch(failed);
    });
    call.after(() => app.subscriptions.replay(session, thread.id));
    if (thread.readOnlyBecause !== undefined)
      call.after(() => session.notify("warning", { threadId: thread.id, message: thread.readOnlyBecause ?? "" }));
    const answer = {
      ...(await opened(thread, call)),
      ...(params.initialTurnsPage ? { initialTurnsPage: await pageOfTurns(thread.id, params.initialTurnsPage, app) } : {}),
      collaborationMode: collaborationModeOf(thread),
    };
    return withWrittenTurns(answer, turns);
  },

  async "thread/fork"(params, call) {
    const { app, session } = call;
    const id = params.path ? await app.store.adopt(params.path) : params.threadId;
    app.subscriptions.checkSubscriptionLimit(session);
    const { records, meta } = await readRecords(id, app);
    const name = app.threads.find(id)?.name ?? (await app.store.find(id))?.name ?? null;
    const { thread, turns } = await app.threads.fork(
      records,
      { id, meta, upTo: forkPoint(params) },
      { ...startOptions(params, call, meta.cwd), ephemeral: params.ephemeral },
    );
    if (asksForTour(params)) thread.clients.askForTour();
    const shown = params.excludeTurns === true ? [] : turns;
    await awaitRequired(thread, app);
    if (name !== null) {
      thread.rename(name);
      if (!thread.ephemeral) await app.store.rename(thread.id, name);
    }
    if (params.attachToSource === true && !thread.ephemeral) await app.lists.attach(thread.id, id);
    await announce(thread, call);
    app.subscriptions.subscribe(session, thread.id);
    sendUsage(thread, shown.at(-1)?.id, call);
    return await opened(thread, call, shown);
  },

  async "thread/read"(params, { app }) {
    checkId(params.threadId, "thread");
    const { threadId } = params;
    const live = app.threads.find(threadId);
    const withTurns = params.includeTurns === true;
    if (live === undefined) {
      const thread = await threadFromStored(threadId, app);
      const turns = withTurns ? await writtenStoredTurns(threadId, "thread/read", app) : noTurns;
      return withWrittenTurns({ thread, readState: await readStateOf(threadId, app) }, turns);
    }
    const turns = withTurns ? await writtenTurnsOf(live, "thread/read", app) : noTurns;
    const thread = await withPlace(live.toWire(), app);
    return withWrittenTurns({ thread, readState: await readStateOf(threadId, app) }, turns);
  },

  async "thread/archive"(params, call) {
    const { app, after } = call;
    checkId(params.threadId, "session");
    const stored = await app.store.find(params.threadId);
    if (stored === undefined || stored.archived) throw invalidRequest(`no rollout found for thread id ${params.threadId}`);
    const wasLoaded = app.threads.find(params.threadId) !== undefined;
    await asSoleWriter(params.threadId, call, async () => {
      await app.threads.unload(params.threadId);
      await app.store.archive(params.threadId);
    });
    after(() => {
      if (wasLoaded) announceStatus(params.threadId, { type: "notLoaded" }, app);
      app.subscriptions.toAll("thread/archived", { threadId: params.threadId });
    });
    return {};
  },

  async "thread/unarchive"(params, call) {
    const { app, after } = call;
    checkId(params.threadId, "session");
    const stored = await app.store.find(params.threadId);
    if (stored === undefined || !stored.archived) throw invalidRequest(`no archived rollout found for thread id ${params.threadId}`);
    await asSoleWriter(params.threadId, call, () => app.store.unarchive(params.threadId));
    after(() => app.subscriptions.toAll("thread/unarchived", { threadId: params.threadId }));
    return { thread: await threadFromStored(params.threadId, app) };
  },

  async "thread/delete"(params, call) {
    const { app, after } = call;
    checkId(params.threadId, "thread");
    const live = app.threads.find(params.threadId);
    const stored = await app.store.find(params.threadId);
    if (stored === undefined && live === undefined) throw invalidRequest(`no rollout found for thread id ${params.threadId}`);
    await asSoleWriter(params.threadId, call, async () => {
      await app.store.refuseForked(params.threadId); // before ending anything that is running
      await app.threads.unload(params.threadId);
      if (stored !== undefined) await app.store.delete(params.threadId);
      await app.undo.forget(params.threadId);
      await app.queue.clear(params.threadId);
      await app.lists.forget(params.threadId);
      await app.goals.clear(params.threadId);
    });
    after(() => {
      if (live !== undefined) announceStatus(params.threadId, { type: "notLoaded" }, app);
      app.subscriptions.toAll("thread/deleted", { threadId: params.threadId });
    });
    return {};
  },

  "thread/unsubscribe"(params, { app, session }) {
    checkId(params.threadId, "thread");
    if (app.threads.find(params.threadId) === undefined) return { status: "notLoaded" };
    return { status: app.subscriptions.unsubscribe(session, params.threadId) ? "unsubscribed" : "notSubscribed" };
  },

  async "thread/name/set"(params, { app, after }) {
    const name = params.name.trim();
    if (name === "") throw invalidRequest("thread name must not be empty");
    await findThread(params.threadId, app);
    const live = app.threads.find(params.threadId);
    if (live?.ephemeral !== true) await app.store.rename(params.threadId, name);
    live?.rename(name);
    after(() => app.subscriptions.toAll("thread/name/updated", { threadId: params.threadId, threadName: name }));
    return {};
  },

  async "thread/rollback"(params, { app }) {
    if (params.numTurns < 1) throw invalidRequest("numTurns must be >= 1");
    const thread = app.threads.require(params.threadId);
    await rollBack(thread, params.numTurns, app);
    return { thread: thread.toWire(await app.threads.turnsOf(thread)) };
  },

  async "thread/revert"(params, { app, after }) {
    const thread = app.threads.require(params.threadId);
    await revertTo(thread, params.beforeTurnId, app);
    after(() => app.subscriptions.toThread(thread.id, "thread/reverted", { threadId: thread.id }));
    return { thread: thread.toWire(await app.threads.turnsOf(thread)), itemsBackwardsCursor: null, turnsBackwardsCursor: null };
  },

  async "thread/compact/start"(params, { app, session, after }) {
    const thread = app.threads.require(params.threadId);
    await thread.makeRoom();
    noteIfProgram(thread, session);
    const { begin } = thread.startSpecial("compact", compactTurn);
    after(() => {
      announceConfigChanges(thread, app);
      begin();
    });
    return {};
  },
};

/** Codex uses another code here than in its lists. */
async function checkProject(projectId: string, app: App): Promise<void> {
  if ((await app.lists.projects.find(projectId)) === undefined) throw invalidRequest(`project not found: ${projectId}`);
}

/** The response to start, resume and fork. */
export async function opened(thread: LiveThread, { app, session, after }: Call, turns: readonly Turn[] = []): Promise<ThreadStartResponse> {
  const { settings, config } = thread;
  const docs = await thread.ports.surroundings.projectDocs(settings, config);
  const leftOut = docs.flatMap((doc) => doc.leftOut ?? []);
  for (const summary of leftOut) after(() => session.notify("configWarning", { summary, details: null }));
  return {
    thread: await withPlace(thread.toWire(turns), app),
    model: settings.model,
    modelProvider: settings.modelProvider,
    cwd: settings.cwd,
    runtimeWorkspaceRoots: [...settings.workspaceRoots],
    approvalPolicy: approvalPolicyFor(session, settings.approvalPolicy),
    approvalsReviewer: settings.approvalsReviewer,
    sandbox: shownSandbox(settings),
    activePermissionProfile: activeProfile(settings, config),
    ...shownSettings("inAnswer", settings),
    instructionSources: docs.filter(({ text }) => text !== "").map((doc) => doc.path),
    disabledPluginIds: [...(settings.disabledPluginIds ?? [])],
  };
}

/** For clients that know only the policy: it also lists the thread's folders, unless the folder it works in is the only one. */
function shownSandbox({ sandboxPolicy: policy, workspaceRoots, cwd }: ThreadSettings): SandboxPolicy {
  const isUsual = workspaceRoots.length === 1 && workspaceRoots[0] === cwd;
  if (policy.type !== "workspaceWrite" || isUsual) return policy;
  return { ...policy, writableRoots: [...new Set([...workspaceRoots, ...(policy.writableRoots ?? [])])] };
}

/** Current clients cannot read `on-failure` (docs/from-codex.md). */
function approvalPolicyFor(session: Session, policy: AskForApproval): AskForApproval {
  return session.dialect === "0.166" && policy === "on-failure" ? "on-request" : policy;
}

/** Announces the status of a thread that was opened or archived, because no turn does it. */
function announceStatus(threadId: string, status: ThreadStatus, app: App): void {
  app.subscriptions.toAll("thread/status/changed", { threadId, status });
}

async function announce(thread: LiveThread, { app, after }: Call): Promise<void> {
  const wire = await withPlace(thread.toWire(), app);
  after(() => {
    app.subscriptions.toAll("thread/started", { thread: { ...wire, status: thread.status() } });
    for (const warning of thread.config.warnings)
      app.subscriptions.toThread(thread.id, "configWarning", { summary: warning, details: null });
    warnOfBrokenRules(thread, app);
    startServers(thread, app);
    warmUpInBackground(thread);
  });
}

/** Rules that forbid commands must not disappear silently, nor block every command without a message. */
function warnOfBrokenRules({ id, config }: LiveThread, { execPolicy, hasRules, subscriptions, log }: App): void {
  if (!hasRules(config)) return;
  execPolicy(config)
    .then(({ problem }) => {
      if (problem === undefined) return;
      const { file, message, line, column } = problem;
      const summary = "Error parsing rules; custom rules not applied."; // Codex's text, which clients may look for
      const details = `No command runs until the file is fixed: failed to parse rules file ${file}: Parse error: ${message}`;
      const range = { start: { line, column }, end: { line, column } };
      subscriptions.toThread(id, "configWarning", { summary, details, path: file, range });
    })
    .catch((error: unknown) => log.warn("the rules could not be read", { error: String(error) }));
}

/** A client that starts a turn right after it opened the thread is not kept waiting: that turn connects by itself. */
const warmUpAfterMs = 20;

/** Runs in the background, once the answer is written and the requests that follow at once are served: it loads what speaks to providers. */
function warmUpInBackground(thread: LiveThread): void {
  const { id, ports } = thread;
  const failed = (error: unknown): void => ports.log.warn("a thread could not be warmed up", { thread: id, error: String(error) });
  let isOpen = true;
  thread.warmsUp(() => {
    isOpen = false;
  });
  const begin = (): void => {
    if (isOpen) void warmUp(thread).catch(failed);
  };
  setImmediate(() => ports.clock.after(warmUpAfterMs, begin));
}

/** The thread's token usage so far, for a client that joins it and would otherwise learn it only after the next response. */
function sendUsage(thread: LiveThread, turnId: string | undefined, { session, after }: Call): void {
  const { usage: tokenUsage } = thread;
  if (turnId === undefined || tokenUsage.total.totalTokens === 0) return;
  after(() => session.notify("thread/tokenUsage/updated", { threadId: thread.id, turnId, tokenUsage }));
}

/** An open thread continues with its current settings; a client that requested others is warned. */
function warnNotApplied(thread: LiveThread, params: ThreadResumeParams, { session, after }: Call): void {
  const { settings, config, overrides } = thread;
  const isInForce = (change: SettingsChange): boolean =>
    isDeepStrictEqual(changed(settings, config, change), changed(settings, config, {}));
  const given = Object.entries(changeFrom(params)).filter(([, value]) => value !== null);
  const ignored = given.flatMap(([name, value]) => (isInForce({ [name]: value }) ? [] : [name]));
  const wanted = params.config ?? {};
  if (Object.keys(wanted).length > 0 && !isDeepStrictEqual(wanted, overrides)) ignored.push("config");
  if (ignored.length === 0) return;
  const message = `this thread is already open and keeps its settings; not applied: ${ignored.join(", ")}. Use thread/settings/update to change them.`;
  after(() => session.notify("warning", { threadId: thread.id, message }));
}

function startOptions(params: ThreadStartParams | ThreadForkParams, { session }: Call, cwd = process.cwd()): StartOptions {
  const environment = "environments" in params ? environmentChange(params.environments) : {};
  return {
    ...changeFrom(params),
    ...environment,
    cwd: environment.cwd ?? path.resolve(params.cwd ?? cwd),
    config: params.config,
    ...calledBy(session),
    source: session.source,
    ...("ephemeral" in params ? { ephemeral: params.ephemeral } : {}),
    ...("dynamicTools" in params ? { dynamicTools: params.dynamicTools } : {}),
    ...("historyMode" in params ? { historyMode: params.historyMode } : {}),
    ...("threadSource" in params ? { threadSource: params.threadSource } : {}),
    ...("sessionStartSource" in params ? { startedBy: params.sessionStartSource ?? undefined } : {}),
  };
}

/** The settings in the params of thread/start, thread/resume and thread/fork. */
function changeFrom(params: SettingParams<"start">): SettingParams<"start"> {
  const change = settingsIn("start", params);
  return change.cwd ? { ...change, cwd: path.resolve(change.cwd) } : change;
}

function forkPoint(params: ThreadForkParams): ForkPoint | undefined {
  if (params.lastTurnId && params.beforeTurnId) throw invalidRequest("`beforeTurnId` cannot be combined with `lastTurnId`");
  if (params.lastTurnId) return { lastTurnId: params.lastTurnId };
  return params.beforeTurnId ? { beforeTurnId: params.beforeTurnId } : undefined;
}

/** An open thread is joined as it is: its history and file cannot be replaced. */
function refuseOtherThanRunning({ threadId, history, path: wanted }: ThreadResumeParams, app: App): void {
  const running = app.threads.find(threadId);
  if (running === undefined) return;
  if (history?.length) throw invalidRequest(`cannot resume thread ${threadId} with history while it is already running`);
  const { path: active } = running.toWire();
  if (wanted && active && path.resolve(wanted) !== active)
    throw invalidRequest(`cannot resume running thread ${threadId} with stale path: requested \`${wanted}\`, active \`${active}\``);
}

async function resumeHistory(params: ThreadResumeParams, call: Call): Promise<ThreadStartResponse> {
  if (params.history?.length === 0) throw invalidRequest("history must not be empty");
  call.app.subscriptions.checkSubscriptionLimit(call.session);
  const thread = await call.app.threads.startFrom(params.history ?? [], startOptions(params as ThreadStartParams, call));
  call.app.subscriptions.subscribe(call.session, thread.id);
  return await opened(thread, call);
}
