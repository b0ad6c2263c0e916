/** The open requests in this editor. However many cards and dialogs show a request, it gets exactly one answer, and all are notified how it ended. */
import { isLegacy, kindOf, type Outcome } from "../../../../src/sessions/answers.ts";
import { type Ending, NotTaken, PendingRequests } from "../../../../src/sessions/requests.ts";
import { Refused, type RequestAnswer } from "../../../web/src/connection/connection.ts";
import type { Actor, PendingRequest } from "../../../web/src/state/model.ts";
import { outcomeOf } from "./answers.ts";

export interface RequestPorts {
  readonly bootId: string;
  respond(id: string | number, outcome: Outcome): void;
  now(): number;
  titleOf(threadId: string): string | null;
  rootOf(threadId: string): string;
  added(request: PendingRequest): void;
  ended(request: PendingRequest, ending: Ending): void;
}

/** The user of this editor. */
export const you: Actor = { kind: "client", name: "you" };

/** Whether another client answered. */
export const isElsewhere = ({ status, by }: Ending): boolean => status === "resolved" && by !== you;

export class Requests extends PendingRequests {
  constructor(ports: RequestPorts) {
    super({
      bootId: ports.bootId,
      respond: (id, outcome) => ports.respond(id, outcome),
      refusal: ({ method }) =>
        kindOf(method) === "other" || isLegacy(method)
          ? { error: { code: -32_600, message: `this client does not answer ${method}` } }
          : undefined,
      rootOf: (id) => ports.rootOf(id),
      titleOf: (id) => ports.titleOf(id),
      now: () => ports.now(),
      waits: (record) => ports.added(record),
      answering: () => {},
      ended: (record, ending) => ports.ended(record, ending),
    });
  }

  /** Submits an answer from one of the editor's interfaces. An answer meant for another thread or turn than the request's own is refused. */
  async answerSeen(seen: Pick<PendingRequest, "requestId" | "threadId" | "turnId">, answer: RequestAnswer): Promise<PendingRequest> {
    const isMeant = (record: PendingRequest): boolean => record.threadId === seen.threadId && record.turnId === seen.turnId;
    try {
      return await this.answer(seen.requestId, you, (record) => outcomeOf(record, answer), isMeant);
    } catch (error) {
      throw error instanceof NotTaken ? refused(error) : error;
    }
  }
}

function refused({ why, message, by }: NotTaken): Refused {
  switch (why) {
    case "unknown":
    case "over":
      return new Refused(404, "ended", why === "over" && by !== you ? message : "This was already answered or has ended.", null);
    case "replaced":
      return new Refused(409, "other_turn", "This answer was meant for another turn.", null);
    case "inFlight":
      return new Refused(409, "in_flight", message, null);
    case "overtaken":
      return new Refused(409, "reconciled", message, null);
    case "unreachable":
      return new Refused(503, "engine_unavailable", message, null);
  }
}
