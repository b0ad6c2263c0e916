/** Handlers for data stored with a session: its controls, free-form settings, and rows added to its transcript from outside. */

import { startControls, turnSettings } from "../../sessions/controls.ts";
import type { SessionControls } from "../../sessions/records.ts";
import { isUnsupported } from "../../sessions/refusals.ts";
import type { Session } from "../../sessions/sessions.ts";
import type { TranscriptRow } from "../api/records.ts";
import type { sessionRoutes } from "../api/sessions.ts";
import { type HandlersFor, ok } from "../handlers.ts";
import type { Manager } from "../manager.ts";
import { failure, invalid } from "../problems.ts";
import { open } from "./sessions.ts";

type SessionTable = typeof sessionRoutes;
type Handled = Extract<
  keyof SessionTable,
  | `${string}/session-controls`
  | `${string}/settings`
  | `${string}/settings/:key`
  | `${string}/approval-policy`
  | `${string}/transcript/upsert`
>;
type Scope = "session" | "default";

const maxSideRows = 500;
const locked = (manager: Manager): boolean => manager.store.state.locked || process.env["PARLEY_LOCK_DEFAULTS"] === "1";

function refuseLocked(manager: Manager, scope: Scope): void {
  if (scope === "default" && locked(manager)) throw failure(423, "locked", "The defaults for new sessions are fixed by the administrator.");
}

/** Stores a session's controls and sends them to the engine if it accepts them before the next message. */
async function saveControls(manager: Manager, session: Session, controls: SessionControls): Promise<boolean> {
  manager.store.change({ controls: { ...manager.store.state.controls, [session.id]: controls } });
  const applied = session.attached && (await applyNow(manager, session, controls));
  manager.sessions.announce(session);
  return applied;
}

async function applyNow(manager: Manager, session: Session, controls: SessionControls): Promise<boolean> {
  try {
    await manager.link.call("thread/settings/update", { threadId: session.id, ...turnSettings(controls) });
    return true;
  } catch (error) {
    if (isUnsupported(error)) return false;
    throw error;
  }
}

const settingsOf = (manager: Manager, session: Session, scope: Scope): Record<string, unknown> => ({
  ...(manager.store.state.settings[scope === "default" ? "default" : session.id] ?? {}),
});

function saveSettings(manager: Manager, session: Session, scope: Scope, settings: Record<string, unknown>): void {
  const key = scope === "default" ? "default" : session.id;
  manager.store.change({ settings: { ...manager.store.state.settings, [key]: settings } });
}

export const controlHandlers: Pick<HandlersFor<SessionTable>, Handled> = {
  async "GET /api/sessions/:sessionId/session-controls"({ manager, path }) {
    const session = await open(manager, path.sessionId);
    return ok({
      status: "ok",
      sessionId: session.id,
      controls: manager.sessions.controls(session),
      defaults: manager.store.state.defaults ?? startControls,
      defaultsLocked: locked(manager),
    });
  },

  async "POST /api/sessions/:sessionId/session-controls"({ manager, caller, path, body }) {
    const session = await open(manager, path.sessionId);
    refuseLocked(manager, body.scope);
    manager.audit.write({
      type: "controls",
      by: caller.actor,
      threadId: session.id,
      summary: `${body.scope}: ${body.controls.approvalPolicy}, ${body.controls.filesystemSandbox}, network ${body.controls.networkAccess}`,
      details: body.controls,
    });
    if (body.scope === "default") {
      manager.store.change({ defaults: body.controls });
      return ok({ status: "ok", sessionId: session.id, scope: body.scope, applied: true, controls: body.controls });
    }
    const applied = await saveControls(manager, session, body.controls);
    return ok({ status: "ok", sessionId: session.id, scope: body.scope, applied, controls: body.controls });
  },

  async "POST /api/sessions/:sessionId/approval-policy"({ manager, caller, path, body }) {
    const session = await open(manager, path.sessionId);
    manager.audit.write({ type: "controls", by: caller.actor, threadId: session.id, summary: `approval policy ${body.approvalPolicy}` });
    await saveControls(manager, session, { ...manager.sessions.controls(session), approvalPolicy: body.approvalPolicy });
    return ok({ status: "ok", sessionId: session.id, approvalPolicy: body.approvalPolicy });
  },

  async "GET /api/sessions/:sessionId/settings"({ manager, path, query }) {
    const session = await open(manager, path.sessionId);
    const scope = query.scope ?? "session";
    const settings = settingsOf(manager, session, scope);
    return ok({
      status: "ok",
      sessionId: session.id,
      scope,
      settings,
      ...(query.key === undefined ? {} : { value: settings[query.key] ?? null }),
    });
  },

  async "POST /api/sessions/:sessionId/settings"({ manager, path, body }) {
    const session = await open(manager, path.sessionId);
    const scope = body.scope ?? "session";
    refuseLocked(manager, scope);
    if ((body.key === undefined) === (body.settings === undefined))
      throw invalid([{ path: "key", message: "give either key and value, or settings" }]);
    if (body.key === "__proto__" || Object.hasOwn(body.settings ?? {}, "__proto__"))
      throw invalid([{ path: "key", message: "this name cannot be used" }]);
    const before = settingsOf(manager, session, scope);
    const settings =
      body.key === undefined
        ? { ...(body.mode === "replace" ? {} : before), ...body.settings }
        : { ...before, [body.key]: body.value ?? null };
    if (JSON.stringify(settings).length > 256 * 1024) throw invalid([{ path: "settings", message: "may take at most 256 kB" }]);
    saveSettings(manager, session, scope, settings);
    return ok({ status: "ok", sessionId: session.id, scope, settings });
  },

  async "DELETE /api/sessions/:sessionId/settings/:key"({ manager, path, query }) {
    const session = await open(manager, path.sessionId);
    const scope = query.scope ?? "session";
    refuseLocked(manager, scope);
    const { [path.key]: found, ...settings } = settingsOf(manager, session, scope);
    saveSettings(manager, session, scope, settings);
    return ok({ status: "ok", sessionId: session.id, scope, removed: found !== undefined, settings });
  },

  async "POST /api/sessions/:sessionId/transcript/upsert"({ manager, path, body }) {
    const session = await open(manager, path.sessionId);
    const entry: TranscriptRow = body;
    const rows = (manager.store.state.side[session.id] ?? []).filter((r) => r.messageId !== entry.messageId);
    manager.store.change({ side: { ...manager.store.state.side, [session.id]: [...rows, entry].slice(-maxSideRows) } });
    manager.hub.emit("transcript_updated", session.id, { turnId: entry.turnId, entry });
    return ok({ status: "ok", sessionId: session.id, entry });
  },
};
