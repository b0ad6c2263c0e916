/** What an engine means by a refusal: read from the error's data where there is any, else from the text that each generation uses. */
import { isRecord } from "../lib/is-record.ts";
import { RpcError } from "../protocol/errors.ts";

const unknownThread = /no (archived )?rollout found|thread not found|thread not loaded|invalid (thread|session) id/i;
const unsupported = /unknown variant|requires experimentalApi|is not available in this build|is not supported by|method not found/i;

/** There is no such thread. */
export const isUnknownThread = (error: unknown): boolean => error instanceof RpcError && unknownThread.test(error.message);

/** The engine has no such method. */
export const isUnsupported = (error: unknown): boolean =>
  error instanceof RpcError && (error.code === -32601 || (error.code === -32600 && unsupported.test(error.message)));

/** The turn that was to be steered has ended; the message may start the next one. */
export const hasTurnEnded = (error: unknown): boolean =>
  error instanceof RpcError && /no active turn|expected active turn/.test(error.message);

/** A review or a compaction is running, which takes no messages. */
export function isNotSteerable(error: unknown): boolean {
  if (!(error instanceof RpcError)) return false;
  const info = isRecord(error.data) ? error.data["codexErrorInfo"] : undefined;
  return (isRecord(info) && "activeTurnNotSteerable" in info) || /cannot (?:be )?steer|not steerable/i.test(error.message);
}

/** No engine that we know has such a session. */
export class UnknownSession extends Error {
  readonly sessionId: string;
  constructor(sessionId: string) {
    super("There is no such session.");
    this.sessionId = sessionId;
  }
}

/** A message that cannot wait with the others. */
export class QueueFull extends Error {
  readonly code = "queue_full";
}
