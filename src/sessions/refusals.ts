/** Classifies an engine's errors: by the error's data if present, otherwise by the text that each generation uses. */
import { isRecord } from "../lib/is-record.ts";
import { RpcError } from "../protocol/errors.ts";

const unknownThread = /no (archived )?rollout found|thread not found|thread not loaded|invalid (thread|session) id/i;
const unsupported = /unknown variant|requires experimentalApi|is not available in this build|is not supported by|method not found/i;

/** There is no such thread. */
export const isUnknownThread = (error: unknown): boolean => error instanceof RpcError && unknownThread.test(error.message);

/** The engine has no such method. */
export const isUnsupported = (error: unknown): boolean =>
  error instanceof RpcError && (error.code === -32601 || (error.code === -32600 && unsupported.test(error.message)));

/** The turn to be steered has ended; the message may start the next one. */
export const hasTurnEnded = (error: unknown): boolean =>
  error instanceof RpcError && /no active turn|expected active turn/.test(error.message);

/** A review or a compaction is running, which accepts no messages. */
export function isNotSteerable(error: unknown): boolean {
  if (!(error instanceof RpcError)) return false;
  const info = isRecord(error.data) ? error.data["codexErrorInfo"] : undefined;
  return (isRecord(info) && "activeTurnNotSteerable" in info) || /cannot (?:be )?steer|not steerable/i.test(error.message);
}

/** The engine has no such session. */
export class UnknownSession extends Error {
  readonly sessionId: string;
  constructor(sessionId: string) {
    super("There is no such session.");
    this.sessionId = sessionId;
  }
}

/** As many messages wait as the engine keeps. */
export const isQueueFull = (error: unknown): boolean => error instanceof RpcError && /queue cannot contain more than/.test(error.message);

/** The engine has no queue. */
export class NoQueue extends Error {
  readonly code = "no_queue";
}

/** The queue accepts no further message. */
export class QueueFull extends Error {
  readonly code = "queue_full";
}
