/** Programs that talk to the manager with a token: none of them is answered by the offline tour, which only a person knows for what it is. */
import type { Session } from "../sessions/sessions.ts";
import type { Caller } from "./access.ts";
import type { Manager } from "./manager.ts";
import { failure } from "./problems.ts";

/** Who names the scripted model has asked for the tour, for the life of the manager. */
export function noteTour({ tourSessions }: Manager, session: Session, model: string | null | undefined): void {
  if (model === "scripted") tourSessions.add(session);
}

/** Ends a route that would begin a turn for a program where nobody has set up a model. */
export function requireModel({ engine, tourSessions }: Manager, caller: Caller, session: Session): void {
  if (caller.actor.kind !== "script" || tourSessions.has(session)) return;
  const why = engine.whyNoModel();
  if (why !== undefined) throw failure(409, "no_model", `${why} A session or message with "model": "scripted" is answered by it.`);
}
