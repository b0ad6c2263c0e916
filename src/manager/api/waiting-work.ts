/** The routes for what a session does next: the goal it pursues, its cost, and the messages that wait in it. */
import { array, integer, literals, maybe, named, nullable, number, object, optional, string } from "../../lib/schema.ts";
import { UserInput } from "../../protocol/item.ts";
import { longestObjective, ThreadGoal } from "../../protocol/thread-goal.ts";
import { QueuedMessage } from "../../sessions/records.ts";
import { bounded, route } from "./define.ts";
import { DeletedSession, Failure, InvalidRequest, SessionNotFound, SystemSession } from "./records.ts";

const gone = { 404: SessionNotFound, 403: SystemSession, 410: DeletedSession } as const;
const Goal = named("SessionGoal", () => object({ goal: nullable(ThreadGoal()) }));
const Queue = named("SessionQueue", () => object({ data: array(QueuedMessage()) }));

export const waitingWorkRoutes = {
  "GET /api/sessions/:sessionId/goal": route({
    summary: "The goal that a session pursues over many turns",
    scope: "read",
    answers: { 200: Goal, 501: Failure, ...gone },
  }),
  "POST /api/sessions/:sessionId/goal": route({
    summary: "Set or change the goal; omitted fields stay, a budget of null removes it",
    scope: "drive",
    body: named("GoalChange", () =>
      object({
        objective: optional(bounded(string(), { minLength: 1, maxLength: 2 * longestObjective })),
        status: optional(literals("active", "paused")),
        tokenBudget: maybe(bounded(integer(), { minimum: 1 })),
      }),
    ),
    answers: { 200: Goal, 400: InvalidRequest, 409: Failure, 501: Failure, ...gone },
  }),
  "DELETE /api/sessions/:sessionId/goal": route({
    summary: "Give the goal up; a turn that runs for it goes on to its end",
    scope: "drive",
    answers: { 200: Goal, 501: Failure, ...gone },
  }),
  "GET /api/sessions/:sessionId/cost": route({
    summary: "What a session has cost so far, in US dollars; null where a price is not known",
    scope: "read",
    answers: { 200: named("SessionCost", () => object({ money: nullable(number()) })), 501: Failure, ...gone },
  }),
  "POST /api/sessions/:sessionId/queue/:messageId": route({
    summary: "Change a message that waits",
    scope: "drive",
    body: named("QueueChange", () => object({ input: bounded(array(UserInput()), { minItems: 1, maxItems: 100 }) })),
    answers: { 200: Queue, 400: InvalidRequest, ...gone },
  }),
  "POST /api/sessions/:sessionId/queue/:messageId/send": route({
    summary: "Send a message that waits now: it starts a turn, or steers the running one",
    scope: "drive",
    answers: {
      200: named("QueuedSent", () => object({ status: literals("ok"), messageId: string(), delivery: literals("started", "steered") })),
      ...gone,
    },
  }),
  "POST /api/sessions/:sessionId/queue-order": route({
    summary: "Put the messages that wait in this order; it names all of them",
    scope: "drive",
    body: named("QueueOrder", () => object({ messageIds: bounded(array(string()), { minItems: 1, maxItems: 100 }) })),
    answers: { 200: Queue, 400: InvalidRequest, 409: Failure, ...gone },
  }),
} as const;
