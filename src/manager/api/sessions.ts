/** The routes for sessions: list, start, read, steer, organize, delete. */
import {
  array,
  boolean,
  integer,
  literals,
  maybe,
  named,
  natural,
  nullable,
  object,
  optional,
  record,
  string,
  union,
  unknown,
} from "../../lib/schema.ts";
import { UserInput } from "../../protocol/item.ts";
import { maxInputChars } from "../../protocol/limits.ts";
import { Thread, ThreadTokenUsage } from "../../protocol/thread.ts";
import { Turn, TurnPlanStep } from "../../protocol/turn.ts";
import {
  ApprovalPolicy,
  FilesystemSandbox,
  NetworkAccess,
  QueuedMessage,
  SessionControls,
  SessionSummary,
  WorkMode,
} from "../../sessions/records.ts";
import { bounded, route } from "./define.ts";
import {
  Decision,
  DeletedSession,
  Failure,
  InvalidRequest,
  SessionNotFound,
  SystemSession,
  TranscriptRow,
  TranscriptStatus,
} from "./records.ts";

/** 410 for a deleted session, 403 for one that the system owns. */
const gate = { 403: SystemSession, 410: DeletedSession } as const;
const gone = { 404: SessionNotFound, ...gate } as const;
const engine = { 409: Failure, 501: Failure } as const;

const dynamicTool = () =>
  object({ name: string(), description: string(), inputSchema: unknown(), namespace: maybe(string()), deferLoading: optional(boolean()) });
const overrides = () => ({
  model: maybe(string()),
  effort: maybe(string()),
  approvalPolicy: optional(ApprovalPolicy()),
  networkAccess: optional(NetworkAccess()),
  filesystemSandbox: optional(FilesystemSandbox()),
  mode: optional(WorkMode()),
  dynamicTools: optional(bounded(array(dynamicTool()), { maxItems: 128 })),
});

const SessionAndThread = named("SessionAndThread", () => object({ session: SessionSummary(), thread: Thread() }));
const SessionDone = named("SessionDone", () =>
  object({ status: literals("ok"), sessionId: string(), session: optional(SessionSummary()), title: maybe(string()) }),
);

const QueueNotFound = named("QueueNotFound", () => object({ status: literals("not_found"), sessionId: string(), message: string() }));

export const sessionRoutes = {
  "GET /api/sessions": route({
    summary: "Sessions, most recent first",
    scope: "read",
    query: named("SessionListQuery", () =>
      object({
        archived: optional(boolean()),
        cursor: optional(string()),
        limit: optional(bounded(integer(), { minimum: 1, maximum: 200 })),
        includeSystemOwned: optional(boolean()),
        search: optional(string()),
      }),
    ),
    answers: {
      200: named("SessionList", () =>
        object({ data: array(SessionSummary()), nextCursor: nullable(string()), archived: boolean(), seq: natural(), bootId: string() }),
      ),
      400: InvalidRequest,
    },
  }),
  "POST /api/sessions": route({
    summary: "Start a session",
    scope: "drive",
    body: named("SessionStart", () =>
      object({
        cwd: maybe(string()),
        projectId: maybe(string()),
        /** Creates the folder if it does not exist; otherwise a missing folder is refused as `no_such_folder`. */
        createFolder: optional(boolean()),
        /** Works in a new git worktree of the folder's repository, on a branch of its own. */
        worktree: optional(boolean()),
        ...overrides(),
      }),
    ),
    answers: { 200: SessionAndThread, 400: InvalidRequest, 404: Failure, 409: Failure, 501: Failure },
  }),
  "GET /api/sessions/:sessionId": route({
    summary: "A session with its whole transcript",
    scope: "read",
    answers: {
      200: named("SessionRead", () =>
        object({ session: SessionSummary(), thread: Thread(), transcript: array(TranscriptRow()), seq: natural(), bootId: string() }),
      ),
      404: SessionNotFound,
      410: DeletedSession,
    },
  }),
  "GET /api/sessions/:sessionId/diff": route({
    summary: "The file changes of the session, or of one turn, as one diff from before to now",
    scope: "read",
    query: named("DiffQuery", () => object({ scope: optional(literals("session", "turn")), turnId: optional(string()) })),
    answers: {
      200: named("SessionDiff", () =>
        object({
          sessionId: string(),
          scope: literals("session", "turn"),
          /** The displayed turn: the requested one, otherwise the last one that changed files. */
          turnId: nullable(string()),
          diff: string(),
          /** Files that something else changed in between: they are shown patch by patch. */
          inexact: array(string()),
          truncated: boolean(),
        }),
      ),
      400: InvalidRequest,
      404: SessionNotFound,
      410: DeletedSession,
    },
  }),
  "GET /api/sessions/:sessionId/turns": route({
    summary: "A page of turns, newest first; the running one contains what was streamed so far",
    scope: "read",
    query: named("TurnsQuery", () =>
      object({ cursor: optional(string()), limit: optional(bounded(integer(), { minimum: 1, maximum: 200 })) }),
    ),
    answers: {
      200: named("TurnsPageAnswer", () =>
        object({
          data: array(Turn()),
          nextCursor: nullable(string()),
          session: SessionSummary(),
          plan: maybe(object({ turnId: string(), explanation: maybe(string()), plan: array(TurnPlanStep()) })),
          diffs: record(string()),
          tokenUsage: nullable(ThreadTokenUsage()),
          /** What the engine warned of since it runs this session, the last few. */
          notices: array(named("SessionNotice", () => object({ id: string(), kind: literals("warning", "info"), text: string() }))()),
          queue: array(QueuedMessage()),
          decisions: array(Decision()),
          /** Events up to this number are included in the response. */
          seq: natural(),
          bootId: string(),
        }),
      ),
      400: InvalidRequest,
      404: SessionNotFound,
      410: DeletedSession,
    },
  }),
  "DELETE /api/sessions/:sessionId": route({
    summary: "Delete a session permanently",
    scope: "drive",
    answers: {
      200: named("SessionDeleted", () =>
        object({ status: literals("ok"), sessionId: string(), title: maybe(string()), deletedFileCount: natural() }),
      ),
      ...gone,
      409: Failure,
    },
  }),
  "POST /api/sessions/:sessionId/messages": route({
    summary: "Send a message: starts a turn, or while one is running steers it or is queued",
    scope: "drive",
    body: named("MessageSend", () =>
      object({
        text: optional(bounded(string(), { maxLength: 2 * maxInputChars })),
        input: optional(bounded(array(UserInput()), { maxItems: 100 })),
        /** A message sent twice with the same id is delivered once. */
        clientMessageId: optional(bounded(string(), { minLength: 1, maxLength: 100 })),
        /** What to do while a turn is running. `auto` steers. */
        delivery: optional(literals("auto", "steer", "queue")),
        ...overrides(),
      }),
    ),
    answers: {
      202: named("MessageAccepted", () =>
        object({
          status: literals("accepted"),
          sessionId: string(),
          turnId: nullable(string()),
          messageId: string(),
          delivery: literals("started", "steered", "queued"),
        }),
      ),
      400: InvalidRequest,
      409: Failure,
      ...gone,
    },
  }),
  "GET /api/sessions/:sessionId/queue": route({
    summary: "Messages that wait for the running turn to end",
    scope: "read",
    answers: { 200: named("QueueList", () => object({ data: array(QueuedMessage()) })), ...gone },
  }),
  "DELETE /api/sessions/:sessionId/queue/:messageId": route({
    summary: "Remove a queued message",
    scope: "drive",
    answers: {
      200: named("QueueTaken", () => object({ status: literals("ok"), messageId: string() })),
      ...gate,
      404: QueueNotFound,
    },
  }),
  "POST /api/sessions/:sessionId/interrupt": route({
    summary: "Stop the running turn",
    scope: "drive",
    body: named("Interrupt", () => object({ turnId: maybe(string()) })),
    answers: {
      200: named("Interrupted", () => object({ status: literals("ok"), sessionId: string(), turnId: string() })),
      400: InvalidRequest,
      409: Failure,
      ...gone,
    },
  }),
  "POST /api/sessions/:sessionId/turns/:turnId/steer": route({
    summary: "Add input to the running turn",
    scope: "drive",
    body: named("Steer", () =>
      object({
        input: union([
          bounded(string(), { minLength: 1, maxLength: 2 * maxInputChars }),
          bounded(array(UserInput()), { minItems: 1, maxItems: 100 }),
        ]),
        clientMessageId: optional(string()),
      }),
    ),
    answers: {
      200: named("Steered", () => object({ status: literals("ok"), sessionId: string(), turnId: string() })),
      400: InvalidRequest,
      ...gone,
      ...engine,
    },
  }),
  "POST /api/sessions/:sessionId/resume": route({
    summary: "Load a session so that it accepts messages",
    scope: "drive",
    body: named("Resume", () => object({ dynamicTools: optional(bounded(array(dynamicTool()), { maxItems: 128 })) })),
    answers: { 200: SessionAndThread, 400: InvalidRequest, ...gone, 409: Failure },
  }),
  "POST /api/sessions/:sessionId/fork": route({
    summary: "A new session that starts with this one's history",
    scope: "drive",
    body: named("Fork", () => object({ beforeTurnId: maybe(string()) })),
    answers: { 200: SessionAndThread, 400: InvalidRequest, ...gone, ...engine },
  }),
  "POST /api/sessions/:sessionId/compact": route({
    summary: "Summarize the history to free space in the context window",
    scope: "drive",
    answers: { 200: SessionDone, ...gone, ...engine },
  }),
  "POST /api/sessions/:sessionId/rollback": route({
    summary: "Remove the last turns from the history, and on request restore the files that they changed",
    scope: "drive",
    body: named("Rollback", () =>
      object({
        numTurns: optional(bounded(integer(), { minimum: 1, maximum: 10_000 })),
        /** `restore` refuses with `files_changed` (409) if someone else has changed the files since; `force` does not. */
        files: optional(literals("keep", "restore", "force")),
        /** False: only files are restored, and the conversation stays. */
        conversation: optional(boolean()),
      }),
    ),
    answers: { 200: SessionAndThread, 400: InvalidRequest, ...gone, ...engine },
  }),
  "POST /api/sessions/:sessionId/background-terminals/clean": route({
    summary: "End the commands that are still running in the background",
    scope: "drive",
    answers: { 200: SessionDone, ...gone, ...engine },
  }),
  "POST /api/sessions/:sessionId/review": route({
    summary: "Start a review of the changes",
    scope: "drive",
    body: named("Review", () =>
      object({
        delivery: optional(literals("inline", "detached")),
        targetType: optional(literals("uncommittedChanges", "baseBranch", "commit", "custom")),
        branch: optional(string()),
        sha: optional(string()),
        title: optional(string()),
        instructions: optional(string()),
      }),
    ),
    answers: {
      200: named("ReviewStarted", () =>
        object({ status: literals("ok"), sessionId: string(), reviewSessionId: string(), turnId: string() }),
      ),
      400: InvalidRequest,
      ...gone,
      ...engine,
    },
  }),
  "POST /api/sessions/:sessionId/rename": route({
    summary: "Set a session's title",
    scope: "drive",
    body: named("Rename", () => object({ title: bounded(string(), { minLength: 1, maxLength: 200 }) })),
    answers: { 200: SessionDone, 400: InvalidRequest, ...gone },
  }),
  "POST /api/sessions/:sessionId/archive": route({
    summary: "Archive a session",
    scope: "drive",
    answers: { 200: SessionDone, ...gone, 409: Failure },
  }),
  "POST /api/sessions/:sessionId/unarchive": route({
    summary: "Restore an archived session",
    scope: "drive",
    answers: { 200: SessionDone, ...gone },
  }),
  "POST /api/sessions/:sessionId/project": route({
    summary: "Assign a session to a project, or to none",
    scope: "drive",
    body: named("AssignProject", () => object({ projectId: nullable(string()) })),
    answers: {
      200: named("ProjectAssigned", () => object({ status: literals("ok"), sessionId: string(), projectId: nullable(string()) })),
      400: InvalidRequest,
      ...gate,
      404: Failure,
    },
  }),
  "GET /api/sessions/:sessionId/session-controls": route({
    summary: "Model, approval policy, network and file access of a session and of new ones",
    scope: "read",
    answers: {
      200: named("ControlsRead", () =>
        object({
          status: literals("ok"),
          sessionId: string(),
          controls: SessionControls(),
          defaults: SessionControls(),
          defaultsLocked: boolean(),
        }),
      ),
      ...gone,
    },
  }),
  "POST /api/sessions/:sessionId/session-controls": route({
    summary: "Change them",
    scope: "drive",
    body: named("ControlsWrite", () =>
      object({ scope: literals("session", "default"), controls: SessionControls(), actor: optional(string()), source: optional(string()) }),
    ),
    answers: {
      200: named("ControlsWritten", () =>
        object({ status: literals("ok"), sessionId: string(), scope: string(), applied: boolean(), controls: SessionControls() }),
      ),
      400: InvalidRequest,
      423: Failure,
      ...gone,
    },
  }),
  "GET /api/sessions/:sessionId/settings": route({
    summary: "Free-form settings stored with a session",
    scope: "read",
    query: named("SettingsQuery", () => object({ scope: optional(literals("session", "default")), key: optional(string()) })),
    answers: {
      200: named("SettingsRead", () =>
        object({ status: literals("ok"), sessionId: string(), scope: string(), settings: record(unknown()), value: optional(unknown()) }),
      ),
      400: InvalidRequest,
      ...gone,
    },
  }),
  "POST /api/sessions/:sessionId/settings": route({
    summary: "Change them",
    scope: "drive",
    body: named("SettingsWrite", () =>
      object({
        scope: optional(literals("session", "default")),
        key: optional(bounded(string(), { minLength: 1, maxLength: 200 })),
        value: optional(unknown()),
        settings: optional(record(unknown())),
        mode: optional(literals("merge", "replace")),
        actor: optional(string()),
        source: optional(string()),
      }),
    ),
    answers: {
      200: named("SettingsWritten", () =>
        object({ status: literals("ok"), sessionId: string(), scope: string(), settings: record(unknown()) }),
      ),
      400: InvalidRequest,
      423: Failure,
      ...gone,
    },
  }),
  "DELETE /api/sessions/:sessionId/settings/:key": route({
    summary: "Remove one",
    scope: "drive",
    query: named("SettingsDeleteQuery", () =>
      object({ scope: optional(literals("session", "default")), actor: optional(string()), source: optional(string()) }),
    ),
    answers: {
      200: named("SettingsRemoved", () =>
        object({ status: literals("ok"), sessionId: string(), scope: string(), removed: boolean(), settings: record(unknown()) }),
      ),
      400: InvalidRequest,
      423: Failure,
      ...gone,
    },
  }),
  "POST /api/sessions/:sessionId/approval-policy": route({
    summary: "Set the approval policy, from the next message on",
    scope: "drive",
    body: named("PolicyWrite", () => object({ approvalPolicy: ApprovalPolicy() })),
    answers: {
      200: named("PolicyWritten", () => object({ status: literals("ok"), sessionId: string(), approvalPolicy: ApprovalPolicy() })),
      400: InvalidRequest,
      ...gone,
    },
  }),
  "POST /api/sessions/:sessionId/transcript/upsert": route({
    summary: "Add or replace a row of the side transcript",
    scope: "drive",
    body: named("TranscriptUpsert", () =>
      object({
        messageId: bounded(string(), { minLength: 1, maxLength: 200 }),
        turnId: bounded(string(), { minLength: 1, maxLength: 200 }),
        role: literals("user", "assistant", "system"),
        type: bounded(string(), { minLength: 1, maxLength: 100 }),
        content: bounded(string(), { maxLength: 1_000_000 }),
        status: TranscriptStatus(),
        details: optional(unknown()),
        startedAt: maybe(integer()),
        completedAt: maybe(integer()),
      }),
    ),
    answers: {
      200: named("TranscriptUpserted", () => object({ status: literals("ok"), sessionId: string(), entry: TranscriptRow() })),
      400: InvalidRequest,
      ...gone,
    },
  }),
  "GET /api/sessions/:sessionId/files": route({
    summary: "Find files of the session's folder by a few letters",
    scope: "read",
    query: named("FilesQuery", () => object({ query: bounded(string(), { maxLength: 200 }) })),
    answers: {
      200: named("FilesFound", () =>
        object({ data: array(object({ path: string(), name: string(), root: string(), isDirectory: boolean() })) }),
      ),
      400: InvalidRequest,
      ...gone,
      501: Failure,
    },
  }),
} as const;
