/** Handlers for sessions: list, start, read, send messages, organize, delete. */
import { RpcError } from "../../client/client.ts";
import { randomUuid } from "../../lib/random.ts";
import type { Thread } from "../../protocol/thread.ts";
import { merged, startControls, threadSettings } from "../../sessions/controls.ts";
import type { SessionSummary } from "../../sessions/records.ts";
import { isUnknownThread, isUnsupported } from "../../sessions/refusals.ts";
import { restoreFiles } from "../../sessions/restore-files.ts";
import { everySource, readTurns, type Session, withLiveTurn } from "../../sessions/sessions.ts";
import { emptyView } from "../../sessions/thread-view.ts";
import type { TranscriptRow } from "../api/records.ts";
import type { sessionRoutes } from "../api/sessions.ts";
import { toolSpecs } from "../client-tools.ts";
import { type HandlersFor, ok } from "../handlers.ts";
import type { Manager } from "../manager.ts";
import { noteTour, requireModel } from "../needs-model.ts";
import { failure, invalid, notFound } from "../problems.ts";
import { notMaterialized } from "../sessions.ts";
import { rowsOf } from "../transcript.ts";
import { isMissing, readDiff } from "./session-diff.ts";
import { addWorktree, noteWorktree } from "./worktrees.ts";

type SessionTable = typeof sessionRoutes;
type Handled = Exclude<
  keyof SessionTable,
  | `${string}/session-controls`
  | `${string}/settings`
  | `${string}/settings/:key`
  | `${string}/approval-policy`
  | `${string}/transcript/upsert`
>;

/** The engine's page size limit for its list. */
const enginePage = 100;

/** Used by every route of one session: deleted is 410, the system's is 403, unknown is 404. */
export async function open(manager: Manager, sessionId: string): Promise<Session> {
  manager.sessions.gate(sessionId);
  const session = await manager.sessions.require(sessionId);
  manager.sessions.gate(sessionId);
  return session;
}

const bare = (thread: Thread): Thread => thread;

/** The agent needs an existing folder. An engine that cannot be asked about folders decides for itself. */
async function requireFolder(manager: Manager, cwd: string, create: boolean): Promise<void> {
  try {
    const { isDirectory } = await manager.link.call("fs/getMetadata", { path: cwd });
    if (!isDirectory) throw failure(409, "not_a_folder", `${cwd} is not a folder.`);
  } catch (error) {
    if (!isMissing(error)) {
      if (error instanceof RpcError) return;
      throw error;
    }
    if (!create) throw failure(409, "no_such_folder", `There is no folder ${cwd} on the machine that runs the engine.`);
    await manager.link.call("fs/createDirectory", { path: cwd, recursive: true });
  }
}

async function listPage(
  manager: Manager,
  query: { archived?: boolean; cursor?: string; limit?: number; includeSystemOwned?: boolean; search?: string },
): Promise<{ data: SessionSummary[]; nextCursor: string | null }> {
  const archived = query.archived === true;
  const limit = query.limit ?? 100;
  const isShown = (s: Session): boolean =>
    !manager.sessions.isDeleted(s.id) && (query.includeSystemOwned === true || !manager.sessions.isSystemOwned(s.id));
  const fresh = archived ? [] : manager.sessions.all().filter((s) => isFresh(s) && isShown(s));
  const from = placeAmongFresh(query.cursor);
  const listed = from === undefined ? [] : fresh.slice(from, from + limit);
  if (from !== undefined && listed.length === limit)
    return { data: listed.map((s) => manager.sessions.summary(s)), nextCursor: `new:${from + limit}` };
  let cursor = from === undefined ? (query.cursor ?? null) : null;
  do {
    const page = await manager.link.call("thread/list", {
      archived,
      cursor,
      limit: Math.min(enginePage, limit - listed.length),
      sortKey: "updated_at",
      sourceKinds: [...everySource],
      ...(query.search === undefined || query.search === "" ? {} : { searchTerm: query.search }),
    });
    const sessions = page.data.map((thread) => manager.sessions.learn(thread, archived, page.readStates?.[thread.id]));
    listed.push(...sessions.filter((s) => isShown(s) && !fresh.includes(s)));
    cursor = page.nextCursor ?? null;
  } while (cursor !== null && listed.length < limit);
  return { data: listed.map((s) => manager.sessions.summary(s)), nextCursor: cursor };
}

/** Sessions without a message are not on disk yet. They are listed before those of the engine. */
const isFresh = (s: Session): boolean => !s.archived && s.attached && s.thread.preview === "" && !s.thread.ephemeral;

/** How many new sessions earlier pages have shown; undefined for a cursor of the engine, whose pages follow all of them. */
function placeAmongFresh(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return 0;
  if (!cursor.startsWith("new:")) return undefined;
  const place = cursor.slice("new:".length);
  if (!/^\d{1,9}$/.test(place)) throw invalid([{ path: "cursor", message: "expected the nextCursor of an earlier page" }]);
  return Number(place);
}

export const sessionHandlers: Pick<HandlersFor<SessionTable>, Handled> = {
  async "GET /api/sessions"({ manager, query }) {
    const { seq, bootId } = manager.hub;
    return ok({ ...(await listPage(manager, query)), archived: query.archived === true, seq, bootId });
  },

  async "POST /api/sessions"({ manager, caller, body }) {
    const { projectId } = body;
    const project = projectId == null ? undefined : manager.store.state.projects.find((p) => p.projectId === projectId);
    if (projectId != null && project === undefined) throw failure(404, "no_such_project", "There is no such project.");
    const controls = merged(manager.store.state.defaults ?? startControls, body);
    const cwd = body.cwd ?? project?.workingDirectory ?? manager.engine.cwd;
    await requireFolder(manager, cwd, body.createFolder === true);
    const tools = body.dynamicTools;
    const worktree = body.worktree === true ? await addWorktree(manager, cwd) : undefined;
    const opened = await manager.link
      .call("thread/start", {
        cwd: worktree?.folder ?? cwd,
        ...threadSettings(controls),
        ...(tools === undefined ? {} : { dynamicTools: toolSpecs(tools) }),
      })
      .catch(async (error: unknown) => {
        if (worktree !== undefined) await manager.link.call("git/worktree/remove", { cwd: worktree.folder }).catch(() => {});
        throw error;
      });
    if (worktree !== undefined) noteWorktree(manager, opened.thread.id, worktree);
    const session = manager.sessions.opened(opened);
    noteTour(manager, session, body.model);
    manager.store.change({
      controls: { ...manager.store.state.controls, [session.id]: { ...controls, model: controls.model ?? opened.model } },
    });
    if (tools !== undefined) manager.store.change({ tools: { ...manager.store.state.tools, [session.id]: tools } });
    if (project !== undefined) await manager.projects.assign(session.id, project.projectId);
    manager.audit.write({ type: "start", by: caller.actor, threadId: session.id, summary: `started a session in ${cwd}` });
    manager.sessions.announce(session);
    return ok({ session: manager.sessions.summary(session), thread: bare(opened.thread) });
  },

  async "GET /api/sessions/:sessionId"({ manager, path }) {
    manager.sessions.gate(path.sessionId, "allow");
    const session = await manager.sessions.require(path.sessionId);
    const { data } = await readTurns(manager.link, session.id, null, 10_000);
    const { seq, bootId } = manager.hub;
    const turns = withLiveTurn(session, data).toReversed();
    const side = manager.store.state.side[session.id] ?? [];
    return ok({
      session: manager.sessions.summary(session),
      thread: { ...session.thread, turns },
      transcript: joined(turns.flatMap(rowsOf), side),
      seq,
      bootId,
    });
  },

  async "GET /api/sessions/:sessionId/turns"({ manager, path, query }) {
    manager.sessions.gate(path.sessionId, "allow");
    const session = await manager.sessions.require(path.sessionId);
    if (session.thread.status.type === "active" && !session.attached) await manager.sessions.attach(session.id);
    session.usedAt = manager.now();
    const page = await readTurns(manager.link, session.id, query.cursor ?? null, query.limit ?? 50);
    const { seq, bootId } = manager.hub;
    return ok({
      data: query.cursor === undefined ? withLiveTurn(session, page.data) : page.data,
      nextCursor: page.nextCursor,
      session: manager.sessions.summary(session),
      plan: session.plan === null ? null : { ...session.plan, plan: [...session.plan.plan] },
      diffs: Object.fromEntries(session.diffs),
      tokenUsage: session.view.tokenUsage,
      notices: [...session.view.notices],
      queue: [...manager.messages.queue(session.id)],
      // The first page contains all of them, because there are few.
      decisions: query.cursor === undefined ? manager.decisions.of(session.id) : [],
      seq,
      bootId,
    });
  },

  async "GET /api/sessions/:sessionId/diff"({ manager, path, query }) {
    manager.sessions.gate(path.sessionId, "allow");
    const session = await manager.sessions.require(path.sessionId);
    return ok({ sessionId: session.id, ...(await readDiff(manager.link, session, query)) });
  },

  async "DELETE /api/sessions/:sessionId"({ manager, caller, path }) {
    manager.sessions.gate(path.sessionId);
    try {
      const title = await manager.delete(path.sessionId, caller.actor);
      return ok({ status: "ok", sessionId: path.sessionId, title, deletedFileCount: title === null ? 0 : 1 });
    } catch (error) {
      if (isUnknownThread(error)) throw notFound(path.sessionId);
      throw error;
    }
  },

  async "POST /api/sessions/:sessionId/messages"({ manager, caller, path, body }) {
    const session = await open(manager, path.sessionId);
    const input = [
      ...(body.input ?? []),
      ...(body.text === undefined || body.text === "" ? [] : [{ type: "text" as const, text: body.text }]),
    ];
    if (input.length === 0) throw invalid([{ path: "text", message: "the message is empty" }]);
    noteTour(manager, session, body.model);
    requireModel(manager, caller, session);
    if (body.dynamicTools !== undefined) await manager.sessions.offerTools(session.id, body.dynamicTools);
    const { model, effort, approvalPolicy, networkAccess, filesystemSandbox, mode } = body;
    const accepted = await manager.messages.send(session, {
      messageId: body.clientMessageId ?? randomUuid(),
      input,
      delivery: body.delivery ?? "auto",
      overrides: { model, effort, approvalPolicy, networkAccess, filesystemSandbox, mode },
      by: caller.actor,
    });
    return { status: 202, body: { status: "accepted", sessionId: session.id, ...accepted } };
  },

  async "GET /api/sessions/:sessionId/queue"({ manager, path }) {
    const session = await open(manager, path.sessionId);
    return ok({ data: [...(await manager.messages.readQueue(session.id))] });
  },
  async "DELETE /api/sessions/:sessionId/queue/:messageId"({ manager, path }) {
    manager.sessions.gate(path.sessionId);
    if (!(await manager.messages.take(path.sessionId, path.messageId)))
      return { status: 404, body: { status: "not_found", sessionId: path.sessionId, message: "This message is no longer waiting." } };
    return ok({ status: "ok", messageId: path.messageId });
  },

  async "POST /api/sessions/:sessionId/interrupt"({ manager, caller, path, body }) {
    const session = await open(manager, path.sessionId);
    const turnId = body.turnId ?? session.activeTurnId;
    if (turnId === null) throw failure(409, "no_active_turn", "No turn is running.");
    manager.audit.write({ type: "interrupt", by: caller.actor, threadId: session.id, turnId, summary: "stopped the turn" });
    try {
      await manager.link.call("turn/interrupt", { threadId: session.id, turnId });
    } catch (error) {
      if (error instanceof RpcError && /no active turn|expected active turn/.test(error.message))
        throw failure(409, "no_active_turn", error.message);
      throw error;
    }
    return ok({ status: "ok", sessionId: session.id, turnId });
  },

  async "POST /api/sessions/:sessionId/turns/:turnId/steer"({ manager, path, body }) {
    const session = await open(manager, path.sessionId);
    await manager.sessions.attach(session.id);
    const input = typeof body.input === "string" ? [{ type: "text" as const, text: body.input }] : body.input;
    const { turnId } = await manager.link.call("turn/steer", {
      threadId: session.id,
      expectedTurnId: path.turnId,
      input,
      ...(body.clientMessageId === undefined ? {} : { clientUserMessageId: body.clientMessageId }),
    });
    return ok({ status: "ok", sessionId: session.id, turnId });
  },

  async "POST /api/sessions/:sessionId/resume"({ manager, path, body }) {
    manager.sessions.gate(path.sessionId);
    const { sessionId } = path;
    const session = await (body.dynamicTools === undefined
      ? manager.sessions.attach(sessionId)
      : manager.sessions.offerTools(sessionId, body.dynamicTools));
    manager.sessions.gate(path.sessionId);
    return ok({ session: manager.sessions.summary(session), thread: session.thread });
  },

  async "POST /api/sessions/:sessionId/fork"({ manager, caller, path, body }) {
    const source = await open(manager, path.sessionId);
    const opened = await manager.link.call("thread/fork", {
      threadId: source.id,
      ...(body.beforeTurnId == null ? {} : { beforeTurnId: body.beforeTurnId }),
    });
    const session = manager.sessions.opened(opened);
    manager.audit.write({ type: "fork", by: caller.actor, threadId: session.id, summary: `forked ${source.id}` });
    const projectId = manager.store.state.assignments[source.id];
    if (projectId !== undefined) await manager.projects.assign(session.id, projectId);
    const worktree = manager.store.state.worktrees[source.id];
    if (worktree !== undefined) noteWorktree(manager, session.id, worktree);
    manager.sessions.announce(session);
    return ok({ session: manager.sessions.summary(session), thread: { ...opened.thread, turns: [] } });
  },

  async "POST /api/sessions/:sessionId/compact"({ manager, caller, path }) {
    const session = await open(manager, path.sessionId);
    requireModel(manager, caller, session);
    await manager.sessions.attach(session.id);
    await manager.link.call("thread/compact/start", { threadId: session.id });
    return ok({ status: "ok", sessionId: session.id });
  },

  async "POST /api/sessions/:sessionId/rollback"({ manager, caller, path, body }) {
    const session = await open(manager, path.sessionId);
    await manager.sessions.attach(session.id);
    const numTurns = body.numTurns ?? 1;
    const onlyFiles = body.conversation === false;
    if (onlyFiles && (body.files ?? "keep") === "keep")
      throw invalid([{ path: "files", message: "restore or force, when the conversation stays" }]);
    const summary = onlyFiles ? `restored the files of ${numTurns} turns` : `took back ${numTurns} turns`;
    manager.audit.write({ type: "rollback", by: caller.actor, threadId: session.id, summary });
    await restoreFiles(manager.link, session.id, numTurns, body.files ?? "keep");
    if (onlyFiles) return ok({ session: manager.sessions.summary(session), thread: { ...session.thread, turns: [] } });
    const { thread } = await rollBack(manager, session, numTurns);
    session.view = emptyView;
    manager.sessions.learn(thread);
    manager.hub.emit("notification", session.id, { method: "thread/reverted", params: { threadId: session.id } });
    return ok({ session: manager.sessions.summary(session), thread: { ...thread, turns: [] } });
  },

  async "POST /api/sessions/:sessionId/background-terminals/clean"({ manager, path }) {
    const session = await open(manager, path.sessionId);
    await manager.sessions.attach(session.id);
    await manager.link.call("thread/backgroundTerminals/clean", { threadId: session.id });
    return ok({ status: "ok", sessionId: session.id });
  },

  async "POST /api/sessions/:sessionId/review"({ manager, caller, path, body }) {
    const session = await open(manager, path.sessionId);
    requireModel(manager, caller, session);
    await manager.sessions.attach(session.id);
    const started = await manager.link.call("review/start", {
      threadId: session.id,
      target: reviewTarget(body),
      ...(body.delivery === undefined ? {} : { delivery: body.delivery as "inline" }),
    });
    return ok({ status: "ok", sessionId: session.id, reviewSessionId: started.reviewThreadId, turnId: started.turn.id });
  },

  async "POST /api/sessions/:sessionId/rename"({ manager, path, body }) {
    const session = await open(manager, path.sessionId);
    const title = body.title.trim();
    if (title === "") throw invalid([{ path: "title", message: "must not be empty" }]);
    try {
      await manager.link.call("thread/name/set", { threadId: session.id, name: title });
      session.thread = { ...session.thread, name: title };
      const { [session.id]: _, ...titles } = manager.store.state.titles;
      manager.store.change({ titles });
    } catch (error) {
      if (!isUnsupported(error) && !isUnknownThread(error)) throw error;
      manager.store.change({ titles: { ...manager.store.state.titles, [session.id]: title } });
    }
    manager.sessions.announce(session);
    return ok({ status: "ok", sessionId: session.id, title, session: manager.sessions.summary(session) });
  },

  async "POST /api/sessions/:sessionId/archive"({ manager, path }) {
    const session = await open(manager, path.sessionId);
    try {
      await manager.link.call("thread/archive", { threadId: session.id });
    } catch (error) {
      if (isUnknownThread(error) && !session.archived) throw notMaterialized(session.id);
      throw error;
    }
    session.archived = true;
    session.attached = false;
    manager.sessions.announce(session);
    return ok({ status: "ok", sessionId: session.id, session: manager.sessions.summary(session) });
  },

  async "POST /api/sessions/:sessionId/unarchive"({ manager, path }) {
    const session = await open(manager, path.sessionId);
    try {
      await manager.link.call("thread/unarchive", { threadId: session.id });
    } catch (error) {
      if (!isUnknownThread(error)) throw error;
    }
    session.archived = false;
    manager.sessions.announce(session);
    return ok({ status: "ok", sessionId: session.id, session: manager.sessions.summary(session) });
  },

  async "POST /api/sessions/:sessionId/project"({ manager, path, body }) {
    const session = await open(manager, path.sessionId);
    const { projectId } = body;
    if (projectId !== null && !manager.store.state.projects.some((p) => p.projectId === projectId))
      throw failure(404, "no_such_project", "There is no such project.");
    await manager.projects.assign(session.id, projectId);
    return ok({ status: "ok", sessionId: session.id, projectId });
  },

  async "GET /api/sessions/:sessionId/files"({ manager, path, query }) {
    const session = await open(manager, path.sessionId);
    const { files } = await manager.link.call("fuzzyFileSearch", {
      query: query.query,
      roots: [session.thread.cwd],
      cancellationToken: `manager-${session.id}`,
    });
    return ok({
      data: files.slice(0, 50).map((f) => ({ path: f.path, name: f.file_name, root: f.root, isDirectory: f.match_type === "directory" })),
    });
  },
};

function joined(rows: readonly TranscriptRow[], side: readonly TranscriptRow[]): TranscriptRow[] {
  const replaced = new Set(side.map((r) => r.messageId));
  return [...rows.filter((r) => !replaced.has(r.messageId)), ...side];
}

/** Current engines have replaced `thread/rollback` with `thread/revert`, which names the turn to go back before. */
async function rollBack(manager: Manager, session: Session, numTurns: number): Promise<{ thread: Thread }> {
  try {
    return await manager.link.call("thread/rollback", { threadId: session.id, numTurns });
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    const { data } = await readTurns(manager.link, session.id, null, numTurns);
    const before = data[Math.min(numTurns, data.length) - 1];
    if (before === undefined) throw failure(409, "invalid_state", "There is no turn to take back.");
    return await manager.link.call("thread/revert", { threadId: session.id, beforeTurnId: before.id });
  }
}

type ReviewBody = {
  targetType?: "uncommittedChanges" | "baseBranch" | "commit" | "custom";
  branch?: string;
  sha?: string;
  title?: string;
  instructions?: string;
};

function reviewTarget(body: ReviewBody) {
  const need = (field: "branch" | "sha" | "instructions"): string => {
    const value = body[field]?.trim();
    if (value === undefined || value === "") throw invalid([{ path: field, message: `needed for the target ${body.targetType}` }]);
    return value;
  };
  switch (body.targetType) {
    case "baseBranch":
      return { type: "baseBranch" as const, branch: need("branch") };
    case "commit":
      return { type: "commit" as const, sha: need("sha"), title: body.title ?? null };
    case "custom":
      return { type: "custom" as const, instructions: need("instructions") };
    default:
      return { type: "uncommittedChanges" as const };
  }
}
