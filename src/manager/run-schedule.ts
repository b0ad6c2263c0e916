/** One run of a schedule: a session and its first message, through the same handlers as a caller's. */
import type { Caller } from "./access.ts";
import type { Schedule } from "./api/automation.ts";
import type { Manager } from "./manager.ts";
import { sessionHandlers } from "./routes/sessions.ts";

export async function runSchedule(manager: Manager, schedule: Schedule): Promise<string> {
  // A script's rights: without a model it gets an error and not the offline tour.
  const caller: Caller = {
    scope: "drive",
    actor: { kind: "script", id: schedule.scheduleId, name: `schedule ${schedule.name}` },
    device: undefined,
  };
  const shared = { manager, caller, query: {} };
  const { cwd, projectId, model } = schedule;
  const started = await sessionHandlers["POST /api/sessions"]({ ...shared, path: {}, body: { cwd, projectId, model } });
  if (started.status !== 200) throw new Error("the session was not started");
  const { sessionId } = started.body.session;
  await sessionHandlers["POST /api/sessions/:sessionId/messages"]({
    ...shared,
    path: { sessionId },
    body: { text: schedule.prompt, ...(model === null ? {} : { model }) },
  });
  return sessionId;
}
