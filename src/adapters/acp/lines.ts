/** ACP over JSON lines, using the project's own transport: bounded, and never blocked by an editor that does not read. */
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk/unstable";
import { isRecord } from "../../lib/is-record.ts";
import type { Transport } from "../../rpc/transport.ts";

/** Maximum number of received messages in the queue; reading pauses above it. */
const maxWaiting = 1024;
/** Above this write backlog, further messages wait until the editor has caught up. */
const highWater = 4 * 1024 * 1024;

export function messageStream(lines: Transport): Stream {
  let caughtUp: PromiseWithResolvers<void> | undefined;
  let isOver = false;
  /** The SDK refuses what comes before the first `initialize` is answered; what a client sent right behind it waits here. */
  let held: { readonly behind: unknown; readonly messages: AnyMessage[] } | undefined;
  let isIntroduced = false;
  let take = (_message: AnyMessage): void => {};
  const release = (): void => {
    const messages = held?.messages ?? [];
    held = undefined;
    for (const message of messages) take(message);
  };
  lines.onDrain = () => {
    caughtUp?.resolve();
    caughtUp = undefined;
  };
  const readable = new ReadableStream<AnyMessage>(
    {
      start(controller) {
        take = (message) => {
          if (held !== undefined) held.messages.push(message);
          else controller.enqueue(message);
          if (!isIntroduced && "method" in message && message.method === "initialize" && "id" in message) {
            isIntroduced = true;
            held = { behind: message.id, messages: [] };
          }
          if ((controller.desiredSize ?? 1) <= 0 || (held?.messages.length ?? 0) >= maxWaiting) lines.pause();
        };
        lines.onMessage = (text) => {
          if (isOver) return;
          const message = read(text);
          if (message === undefined) return;
          if ("refused" in message) return lines.send(message.refused);
          take(message.taken);
        };
        lines.onTooLong = () => lines.send(refusal(-32600, "Invalid request: the message is over the size limit"));
        lines.onClose = () => {
          release();
          if (!isOver) controller.close();
          isOver = true;
          caughtUp?.resolve();
        };
      },
      pull: () => lines.resume(),
      cancel() {
        isOver = true;
        lines.close();
      },
    },
    { highWaterMark: maxWaiting },
  );
  const writable = new WritableStream<AnyMessage>({
    async write(message) {
      lines.send(JSON.stringify(message));
      if (held !== undefined && !("method" in message) && "id" in message && message.id === held.behind) {
        release();
        lines.resume();
      }
      if (lines.backlog <= highWater || isOver) return;
      caughtUp ??= Promise.withResolvers<void>();
      await caughtUp.promise;
    },
  });
  return { readable, writable };
}

type Read = { readonly taken: AnyMessage } | { readonly refused: string } | undefined;

function read(text: string): Read {
  if (text.trim() === "") return undefined;
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return { refused: refusal(-32700, "Parse error") };
  }
  if (isRecord(message)) return { taken: message as AnyMessage };
  return { refused: refusal(-32600, Array.isArray(message) ? "JSON-RPC batches are not supported" : "Invalid request") };
}

/** An error response for a message whose request id could not be read. */
const refusal = (code: number, message: string): string => JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } });
