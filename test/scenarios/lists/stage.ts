/** What the scenarios about lists share. */
import type { StageOptions } from "../../support/verifies.ts";
import type { Message, Wire } from "../../support/wire.ts";

export const pinned = "01984de2-8f74-7c91-a3b2-5c5e937cf318";
export const unknownId = "01a1e4c9-f1ee-7620-8717-b1d907d4da51";
export const turns = Array.from({ length: 8 }, (_, i) => [{ say: `answer ${i}` }]);

export interface Asking {
  readonly wire: Wire;
  /** The result; throws with the error's message. */
  // biome-ignore lint/suspicious/noExplicitAny: results are inspected as they are
  ask(method: string, params?: unknown): Promise<any>;
  /** The code and message of the error. */
  refusal(method: string, params?: unknown): Promise<readonly [code: number, message: string]>;
  /** A thread with one turn, which has ended. */
  thread(text?: string): Promise<string>;
  turn(threadId: string, text: string): Promise<string>;
  received(method: string): readonly Message[];
}

export async function asking(connect: (options?: StageOptions) => Promise<Wire>, cwd: string): Promise<Asking> {
  const wire = await connect({ turns });
  await wire.initialize({ experimentalApi: true, requestAttestation: false });
  const ask: Asking["ask"] = async (method, params = {}) => {
    const { result, error } = await wire.ask(method, params);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  const turn = async (threadId: string, text: string): Promise<string> => {
    const started = await ask("turn/start", { threadId, input: [{ type: "text", text }] });
    await wire.until(({ method, params }) => method === "turn/completed" && params.turn.id === started.turn.id, "the end of the turn");
    return started.turn.id;
  };
  return {
    wire,
    ask,
    turn,
    async refusal(method, params = {}) {
      const { error } = await wire.ask(method, params);
      return [error?.code, error?.message];
    },
    async thread(text = "hello") {
      const { thread } = await ask("thread/start", { cwd });
      await turn(thread.id, text);
      return thread.id;
    },
    received: (method) => wire.received.filter((message) => message.method === method),
  };
}

export const ids = (list: { readonly data: readonly { readonly id: string }[] }): string[] => list.data.map(({ id }) => id);
