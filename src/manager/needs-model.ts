/** Programs that use the manager with a token must not be answered by the offline tour, which only a person can recognize. */
import type { Session } from "../sessions/sessions.ts";
import type { Caller } from "./access.ts";
import type { Manager } from "./manager.ts";
import { failure } from "./problems.ts";

/** A program that names the scripted model has requested the tour, as long as the manager runs. */
export function noteTour({ tourSessions }: Manager, session: Session, model: string | null | undefined): void {
  if (model === "scripted") tourSessions.add(session);
}

/** Refuses a route that would start a turn for a program while no model is configured. */
export function requireModel({ engine, tourSessions }: Manager, caller: Caller, session: Session): void {
  if (caller.actor.kind !== "script" || tourSessions.has(session)) return;
  const why = engine.whyNoModel();
  if (why !== undefined) throw failure(409, "no_model", `${why} A session or message with "model": "scripted" is answered by it.`);
}
