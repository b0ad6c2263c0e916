/** What is read of the messages that a relay passes on: whose thread they are about, and whether it has moved. */
import { isRecord } from "../lib/is-record.ts";
import { RpcError } from "../protocol/errors.ts";

/** A client's request; ids that no JavaScript number holds are not passed on. */
export interface Passed {
  readonly id: string | number;
  readonly method: string;
  readonly params: unknown;
  /** The whole message as the client sent it, where it can be passed on without writing it again. */
  readonly text?: string | undefined;
  /** How often a process that it was passed to had let the thread go by then. */
  readonly moves?: number;
}

export type Json = Readonly<Record<string, unknown>>;
export const objectOf = (value: unknown): Json => (isRecord(value) ? value : {});
export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** The thread that params are about; the older API calls it a conversation. */
export function threadIdIn(params: unknown): string | undefined {
  const { threadId, conversationId } = objectOf(params);
  return textOf(threadId) ?? textOf(conversationId);
}

/** The thread that a notification is about. */
export const threadNotified = (params: Json): string | undefined => threadIdIn(params) ?? textOf(objectOf(params["thread"])["id"]);

/** The thread whose notifications the client gets from the answer on. */
export function threadOpened(method: string, params: unknown, result: Json): string | undefined {
  switch (method) {
    case "thread/start":
    case "thread/fork":
      return textOf(objectOf(result["thread"])["id"]);
    case "addConversationListener":
      return threadIdIn(params);
    case "thread/resume":
      return textOf(objectOf(result["thread"])["id"]) ?? threadIdIn(params);
    case "review/start":
      return textOf(result["reviewThreadId"]);
    case "newConversation":
    case "resumeConversation":
    case "forkConversation":
      return textOf(result["conversationId"]);
    default:
      return undefined;
  }
}

/** Instead of an answer: another process holds the thread, and can be reached. */
export class RunsElsewhere extends Error {
  readonly threadId: string;
  constructor(threadId: string) {
    super(`thread ${threadId} is open in another process`);
    this.threadId = threadId;
  }
}

/** In the data of an error: another process holds the thread by now. */
export const movedMark = { heldByAnotherProcess: true };
export const hasMoved = (error: unknown): boolean => objectOf(objectOf(error)["data"])["heldByAnotherProcess"] === true;

export function errorIn(value: unknown): RpcError {
  const { code, message, data } = objectOf(value);
  return new RpcError(typeof code === "number" ? code : -32603, typeof message === "string" ? message : "the request failed", data);
}
