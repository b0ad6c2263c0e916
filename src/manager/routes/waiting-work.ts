/** Handlers for what a session does next: its goal and the messages that wait in it. */
import type { waitingWorkRoutes } from "../api/waiting-work.ts";
import { type HandlersFor, ok } from "../handlers.ts";
import type { Manager } from "../manager.ts";
import { requireModel } from "../needs-model.ts";
import { failure, Problem } from "../problems.ts";
import { open } from "./sessions.ts";

const noLongerWaiting = (sessionId: string): Problem =>
  new Problem(404, { status: "not_found", sessionId, message: "This message is no longer waiting." });

async function queueOf(manager: Manager, sessionId: string) {
  return ok({ data: [...(await manager.messages.readQueue(sessionId))] });
}

export const waitingWorkHandlers: HandlersFor<typeof waitingWorkRoutes> = {
  async "GET /api/sessions/:sessionId/goal"({ manager, path }) {
    const session = await open(manager, path.sessionId);
    return ok({ goal: (await manager.link.call("thread/goal/get", { threadId: session.id })).goal ?? null });
  },
  async "POST /api/sessions/:sessionId/goal"({ manager, caller, path, body }) {
    const session = await open(manager, path.sessionId);
    if (body.status !== "paused") requireModel(manager, caller, session);
    await manager.sessions.attach(session.id);
    const { goal } = await manager.link.call("thread/goal/set", { threadId: session.id, ...body });
    manager.audit.write({
      type: "goal",
      by: caller.actor,
      threadId: session.id,
      summary: `${goal.status}: ${goal.objective.slice(0, 200)}`,
    });
    return ok({ goal });
  },
  async "DELETE /api/sessions/:sessionId/goal"({ manager, caller, path }) {
    const session = await open(manager, path.sessionId);
    await manager.link.call("thread/goal/clear", { threadId: session.id });
    manager.audit.write({ type: "goal", by: caller.actor, threadId: session.id, summary: "gave the goal up" });
    return ok({ goal: null });
  },

  async "GET /api/sessions/:sessionId/cost"({ manager, path }) {
    const session = await open(manager, path.sessionId);
    const micros = (await manager.link.call("account/usage/read", { threadId: session.id })).threadUsage?.estimatedUsageUsdMicros;
    return ok({ money: micros == null ? null : micros / 1e6 });
  },
  async "POST /api/sessions/:sessionId/queue/:messageId"({ manager, path, body }) {
    const session = await open(manager, path.sessionId);
    if (!(await manager.messages.change(session.id, path.messageId, body.input))) throw noLongerWaiting(session.id);
    return await queueOf(manager, session.id);
  },
  async "POST /api/sessions/:sessionId/queue/:messageId/send"({ manager, caller, path }) {
    const session = await open(manager, path.sessionId);
    requireModel(manager, caller, session);
    const delivery = await manager.messages.sendNow(session, path.messageId);
    if (delivery === undefined) throw noLongerWaiting(session.id);
    return ok({ status: "ok", messageId: path.messageId, delivery });
  },
  async "POST /api/sessions/:sessionId/queue-order"({ manager, path, body }) {
    const session = await open(manager, path.sessionId);
    if (!(await manager.messages.reorder(session.id, body.messageIds)))
      throw failure(409, "queue_changed", "The messages that wait have changed meanwhile. Look at them again.");
    return await queueOf(manager, session.id);
  },
};
