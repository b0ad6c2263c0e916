/** Handlers for terminals, commands that were left running, and previews. */
import type { terminalRoutes } from "../api/terminals.ts";
import { type HandlersFor, ok } from "../handlers.ts";
import { failure, Problem } from "../problems.ts";
import { open } from "./sessions.ts";

export const terminalHandlers: HandlersFor<typeof terminalRoutes> = {
  /** Opened by the server, before the handlers. */
  "GET /api/terminal"() {
    throw new Problem(426, { status: "error", code: "upgrade_required", message: "Connect with a websocket." }, { upgrade: "websocket" });
  },
  "GET /api/terminals": ({ manager }) => ok({ data: [...manager.terminals.all] }),
  async "DELETE /api/terminals/:terminalId"({ manager, path }) {
    if (!(await manager.terminals.close(path.terminalId))) throw failure(404, "no_such_terminal", "There is no such terminal.");
    return ok({ status: "ok", terminalId: path.terminalId });
  },
  async "GET /api/sessions/:sessionId/background-terminals"({ manager, path }) {
    const session = await open(manager, path.sessionId);
    // A thread that is not loaded has no commands; asking would load it.
    if (!session.attached) return ok({ data: [] });
    const { data } = await manager.link.call("thread/backgroundTerminals/list", { threadId: session.id });
    return ok({ data });
  },
  async "DELETE /api/sessions/:sessionId/background-terminals/:processId"({ manager, caller, path }) {
    const session = await open(manager, path.sessionId);
    manager.audit.write({ type: "background_ended", by: caller.actor, threadId: session.id, summary: `ended process ${path.processId}` });
    const { terminated } = await manager.link.call("thread/backgroundTerminals/terminate", {
      threadId: session.id,
      processId: path.processId,
    });
    return ok({ status: "ok", terminated });
  },
  "GET /api/previews": ({ manager }) => ok({ data: [...(manager.previews?.all ?? [])] }),
  async "POST /api/previews"({ manager, caller, body }) {
    if (manager.engine.remote || manager.previews === undefined)
      throw failure(409, "remote_engine", "The engine runs on another machine, and only ports of the manager's machine can be shown.");
    manager.audit.write({ type: "preview", by: caller.actor, summary: `opened a preview of port ${body.port}` });
    return ok(await manager.previews.open(body.port, caller.actor.name));
  },
  "DELETE /api/previews/:previewId"({ manager, caller, path }) {
    manager.audit.write({ type: "preview_closed", by: caller.actor, summary: `closed the preview ${path.previewId}` });
    if (manager.previews?.close(path.previewId) !== true) throw failure(404, "no_such_preview", "There is no such preview.");
    return ok({ status: "ok", previewId: path.previewId });
  },
};
