/** `thread/sample`: one answer beside a thread, for titles and the like. */
import { sampleBeside } from "../core/thread/sample-beside.ts";
import { errorMessage } from "../lib/error-text.ts";
import { internalError, invalidRequest } from "../protocol/errors.ts";
import type { threadSampleRequests } from "../protocol/thread-sample.ts";
import type { Call, HandlersFor } from "./app.ts";

/** Maximum number of concurrent samples of a connection. */
const maxSamples = 16;

export const threadSampleHandlers: HandlersFor<typeof threadSampleRequests> = {
  async "thread/sample"({ threadId, expectedTurnId, prompt, effort, disableMcp, responsesapiClientMetadata }, call) {
    const { app, session } = call;
    const thread = app.threads.require(threadId);
    if (prompt.trim() === "") throw invalidRequest("prompt must not be empty");
    const last = (await app.threads.turnsOf(thread)).at(-1);
    if (last === undefined || last.id !== expectedTurnId || last.status === "inProgress")
      throw invalidRequest("sample source turn must be the latest finished turn");
    if (session.samples.size >= maxSamples)
      throw invalidRequest(`${maxSamples} samples of this connection run already, the most that may at once`);
    return await whileListed(call, async (signal) => {
      const question = { prompt, effort: effort ?? undefined, withoutMcp: disableMcp === true, metadata: responsesapiClientMetadata ?? {} };
      const { responseId, text, usage } = await sampleBeside(thread, question, signal);
      return {
        sourceTurnId: expectedTurnId,
        responseId,
        text,
        inputTokens: usage?.inputTokens ?? null,
        cachedInputTokens: usage?.cachedInputTokens ?? null,
        outputTokens: usage?.outputTokens ?? null,
      };
    });
  },
  "thread/sample/cancel"({ requestId }, { session }) {
    session.samples.get(requestId)?.abort(new Error("the sample was cancelled"));
    return {};
  },
};

/** Listed under the id of its request while it runs; it ends with the connection. */
async function whileListed<T>({ session, id }: Call, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  const leave = (): void => ending.abort(new Error("the client has gone"));
  session.samples.set(id, ending);
  session.onClose.add(leave);
  try {
    return await work(ending.signal);
  } catch (error) {
    throw ending.signal.aborted
      ? invalidRequest(errorMessage(ending.signal.reason))
      : internalError(`failed to sample: ${errorMessage(error)}`);
  } finally {
    session.samples.delete(id);
    session.onClose.delete(leave);
  }
}
