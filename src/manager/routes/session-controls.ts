/** Handlers for what is kept with a session: its controls, free-form settings, and rows added to its transcript from outside. */

import { startControls, turnSettings } from "../../sessions/controls.ts";
import type { SessionControls } from "../../sessions/records.ts";
import { isUnsupported } from "../../sessions/refusals.ts";
import type { Session } from "../../sessions/sessions.ts";
import type { TranscriptRow } from "../api/records.ts";
import type { sessionRoutes } from "../api/sessions.ts";
import type { Core } from "../core.ts";
import { type HandlersFor, ok } from "../handlers.ts";
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
const locked = (core: Core): boolean => core.store.state.locked || process.env["PARLEY_LOCK_DEFAULTS"] === "1";

function refuseLocked(core: Core, scope: Scope): void {
  if (scope === "default" && locked(core)) throw failure(423, "locked", "The defaults for new sessions are fixed by the administrator.");
}

/** Writes a session's controls and tells the engine, where it can be told before the next message. */
async function saveControls(core: Core, session: Session, controls: SessionControls): Promise<boolean> {
  core.store.change({ controls: { ...core.store.state.controls, [session.id]: controls } });
  const applied = session.attached && (await applyNow(core, session, controls));
  core.sessions.announce(session);
  return applied;
}

async function applyNow(core: Core, session: Session, controls: SessionControls): Promise<boolean> {
  try {
    await core.link.call("thread/settings/update", { threadId: session.id, ...turnSettings(controls) });
    return true;
  } catch (error) {
    if (isUnsupported(error)) return false;
    throw error;
  }
}

const settingsOf = (core: Core, session: Session, scope: Scope): Record<string, unknown> => ({
  ...(core.store.state.settings[scope === "default" ? "default" : session.id] ?? {}),
});

function saveSettings(core: Core, session: Session, scope: Scope, settings: Record<string, unknown>): void {
  const key = scope === "default" ? "default" : session.id;
  core.store.change({ settings: { ...core.store.state.settings, [key]: settings } });
}

export const controlHandlers: Pick<HandlersFor<SessionTable>, Handled> = {
  async "GET /api/sessions/:sessionId/session-controls"({ core, path }) {
    const session = await open(core, path.sessionId);
    return ok({
      status: "ok",
      sessionId: session.id,
      controls: core.sessions.controls(session),
      defaults: core.store.state.defaults ?? startControls,
      defaultsLocked: locked(core),
    });
  },

  async "POST /api/sessions/:sessionId/session-controls"({ core, caller, path, body }) {
    const session = await open(core, path.sessionId);
    refuseLocked(core, body.scope);
    core.audit.write({
      type: "controls",
      by: caller.actor,
      threadId: session.id,
      summary: `${body.scope}: ${body.controls.approvalPolicy}, ${body.controls.filesystemSandbox}, network ${body.controls.networkAccess}`,
      details: body.controls,
    });
    if (body.scope === "default") {
      core.store.change({ defaults: body.controls });
      return ok({ status: "ok", sessionId: session.id, scope: body.scope, applied: true, controls: body.controls });
    }
    const applied = await saveControls(core, session, body.controls);
    return ok({ status: "ok", sessionId: session.id, scope: body.scope, applied, controls: body.controls });
  },

  async "POST /api/sessions/:sessionId/approval-policy"({ core, caller, path, body }) {
    const session = await open(core, path.sessionId);
    core.audit.write({ type: "controls", by: caller.actor, threadId: session.id, summary: `approval policy ${body.approvalPolicy}` });
    await saveControls(core, session, { ...core.sessions.controls(session), approvalPolicy: body.approvalPolicy });
    return ok({ status: "ok", sessionId: session.id, approvalPolicy: body.approvalPolicy });
  },

  async "GET /api/sessions/:sessionId/settings"({ core, path, query }) {
    const session = await open(core, path.sessionId);
    const scope = query.scope ?? "session";
    const settings = settingsOf(core, session, scope);
    return ok({
      status: "ok",
      sessionId: session.id,
      scope,
      settings,
      ...(query.key === undefined ? {} : { value: settings[query.key] ?? null }),
    });
  },

  async "POST /api/sessions/:sessionId/settings"({ core, path, body }) {
    const session = await open(core, path.sessionId);
    const scope = body.scope ?? "session";
    refuseLocked(core, scope);
    if ((body.key === undefined) === (body.settings === undefined))
      throw invalid([{ path: "key", message: "give either key and value, or settings" }]);
    if (body.key === "__proto__" || Object.hasOwn(body.settings ?? {}, "__proto__"))
      throw invalid([{ path: "key", message: "this name cannot be used" }]);
    const before = settingsOf(core, session, scope);
    const settings =
      body.key === undefined
        ? { ...(body.mode === "replace" ? {} : before), ...body.settings }
        : { ...before, [body.key]: body.value ?? null };
    if (JSON.stringify(settings).length > 256 * 1024) throw invalid([{ path: "settings", message: "may take at most 256 kB" }]);
    saveSettings(core, session, scope, settings);
    return ok({ status: "ok", sessionId: session.id, scope, settings });
  },

  async "DELETE /api/sessions/:sessionId/settings/:key"({ core, path, query }) {
    const session = await open(core, path.sessionId);
    const scope = query.scope ?? "session";
    refuseLocked(core, scope);
    const { [path.key]: found, ...settings } = settingsOf(core, session, scope);
    saveSettings(core, session, scope, settings);
    return ok({ status: "ok", sessionId: session.id, scope, removed: found !== undefined, settings });
  },

  async "POST /api/sessions/:sessionId/transcript/upsert"({ core, path, body }) {
    const session = await open(core, path.sessionId);
    const entry: TranscriptRow = body;
    const rows = (core.store.state.side[session.id] ?? []).filter((r) => r.messageId !== entry.messageId);
    core.store.change({ side: { ...core.store.state.side, [session.id]: [...rows, entry].slice(-maxSideRows) } });
    core.hub.emit("transcript_updated", session.id, { turnId: entry.turnId, entry });
    return ok({ status: "ok", sessionId: session.id, entry });
  },
};
