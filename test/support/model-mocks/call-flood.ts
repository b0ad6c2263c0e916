/** A provider in its own worker thread that answers with floods of tool calls, written in parallel with the server's work, as fast as they are read. */
import { on, once } from "node:events";
import { parentPort, Worker, workerData } from "node:worker_threads";
import { responsesFrames } from "./frames.ts";
import { type Answer, MockProvider, stream } from "./server.ts";

export interface CallFloods extends AsyncDisposable {
  readonly url: string;
  /** The body of the request that follows the next flood. */
  asked(): Promise<string>;
}

/** Every second answer is a flood of this many calls. */
export async function startCallFloods(floods: readonly number[]): Promise<CallFloods> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { floods } });
  const messages = on(worker, "message");
  const next = async (): Promise<string> => String((await messages.next()).value?.[0]);
  return { url: await next(), asked: next, [Symbol.asyncDispose]: async () => void (await worker.terminate()) };
}

const perPiece = 1000;

const flood =
  (calls: number): Answer =>
  async (response) => {
    const [created = "", ...done] = responsesFrames({ text: "" }).filter((frame) => /response\.(created|completed)/.test(frame));
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(created);
    for (let from = 0; from < calls; from += perPiece) {
      const piece = Array.from({ length: perPiece }, (_, i) => call(from + i)).join("");
      if (!response.write(piece)) await once(response, "drain");
    }
    response.end(done.join(""));
  };

function call(n: number): string {
  const item = `{"type":"function_call","id":"fc_${n}","call_id":"c${n}","name":"no_such_tool","arguments":"{}"}`;
  const event = (kind: string): string => `data: {"type":"response.output_item.${kind}","output_index":${n},"item":${item}}\n\n`;
  return `${event("added")}${event("done")}`;
}

if (parentPort !== null) {
  const { floods } = workerData as { floods: readonly number[] };
  const ok = stream(responsesFrames({ text: "ok" }));
  const followed: Answer = async (response, request) => {
    parentPort?.postMessage(JSON.stringify(request.body));
    await ok(response, request);
  };
  parentPort.postMessage(await new MockProvider(...floods.flatMap((calls) => [flood(calls), followed])).listen());
}
