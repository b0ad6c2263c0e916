/**
 * Answers the client's `initialize` while the server is still loading, queues the messages after it, and hands both over to the server.
 * Serves `parley app-server`, whose clients wait for that response before anything else.
 */
import { fits } from "../lib/schema.ts";
import { InitializeParams } from "../protocol/initialize.ts";
import type { Transport } from "../rpc/transport.ts";
import { type About, type Introduction, introduce } from "../server/introduce.ts";

export interface Greeting {
  readonly transport: Transport;
  /** The client's introduction; undefined when it did not start with a plain `initialize`. Its messages are then dispatched in the ordinary way. */
  readonly introduction: Introduction | undefined;
  /** What the response named as this machine's system. */
  readonly system: string;
  /** Passes the queued messages to the transport's new handler. */
  release(): void;
}

/** A silent client is not waited for: the server is then loaded before its first request. */
const patienceMs = 50;

/** Resolves when the first message was received and answered, or at the timeout. */
export async function greet(transport: Transport, about: About): Promise<Greeting> {
  const held: (() => void)[] = [];
  const first = Promise.withResolvers<void>();
  let introduction: Introduction | undefined;
  let isFirst = true;
  const hold = (event: () => void): void => {
    held.push(event);
    isFirst = false;
    first.resolve();
  };
  transport.onTooLong = (head) => hold(() => transport.onTooLong(head));
  transport.onClose = (error) => hold(() => transport.onClose(error));
  transport.onMessage = (text) => {
    const greeted = isFirst ? answerTo(text, about) : undefined;
    if (greeted === undefined) return hold(() => transport.onMessage(text));
    isFirst = false;
    introduction = greeted.introduction;
    transport.send(greeted.answer);
    setImmediate(first.resolve); // after the tick in which the response is written
  };
  const patience = setTimeout(first.resolve, patienceMs);
  await first.promise;
  clearTimeout(patience);
  return {
    transport,
    system: about.system,
    get introduction() {
      return introduction;
    },
    release() {
      for (const event of held) event();
    },
  };
}

/** Undefined for anything but the one plain case: the ordinary dispatch then answers it. */
function answerTo(text: string, about: About): { readonly introduction: Introduction; readonly answer: string } | undefined {
  try {
    const { id, method, params } = JSON.parse(text);
    if (method !== "initialize" || !(typeof id === "string" || Number.isSafeInteger(id)) || !isParams(params)) return undefined;
    const { introduction, answer } = introduce(params, about);
    return { introduction, answer: `{"id":${JSON.stringify(id)},"result":${JSON.stringify(answer)}}` };
  } catch {
    return undefined;
  }
}

const isParams = (value: unknown): value is InitializeParams => fits(InitializeParams(), value);
