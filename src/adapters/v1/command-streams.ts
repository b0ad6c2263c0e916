/** Command output for v1 events: stdout and stderr separately, as deltas and in full at the end. */
import type { ParamsOf } from "../../protocol/define.ts";
import type { OutputRun } from "../../protocol/item-events.ts";
import type { ServerNotifications } from "../../protocol/methods.ts";
import type { EventMessage } from "../../protocol/v1/event.ts";

export interface Streams {
  readonly stdout: string;
  readonly stderr: string;
}

type Delta = ParamsOf<ServerNotifications["item/commandExecution/outputDelta"]>;

/** Bounds the memory for commands whose end was missed. */
const maxCommands = 256;

export class CommandStreams {
  readonly #running = new Map<string, { stdout: string; stderr: string }>();

  /** One event for each stream that occurs in the delta. */
  deltas({ itemId, delta, runs }: Delta): EventMessage[] {
    const pieces = split(delta, runs);
    const all = this.#running.get(itemId) ?? { stdout: "", stderr: "" };
    this.#running.set(itemId, all);
    for (const [oldest] of this.#running) if (this.#running.size > maxCommands) this.#running.delete(oldest);
    return (["stdout", "stderr"] as const).flatMap((stream): EventMessage[] => {
      const { text, bytes } = pieces[stream];
      all[stream] += text;
      if (text === "") return [];
      return [{ type: "exec_command_output_delta", call_id: itemId, stream, chunk: Buffer.concat(bytes).toString("base64") }];
    });
  }

  /** Both streams of a command that has ended; undefined if it printed nothing. */
  take(itemId: string): Streams | undefined {
    const found = this.#running.get(itemId);
    this.#running.delete(itemId);
    return found;
  }
}

interface Piece {
  text: string;
  readonly bytes: Buffer[];
}

function split(text: string, runs: Delta["runs"]): Record<OutputRun["stream"], Piece> {
  const pieces = { stdout: { text: "", bytes: [] }, stderr: { text: "", bytes: [] } } satisfies Record<OutputRun["stream"], Piece>;
  let at = 0;
  for (const { stream, length, bytes } of runs ?? [{ stream: "stdout", length: text.length }]) {
    const part = text.slice(at, at + length);
    const piece: Piece = pieces[stream];
    piece.text += part;
    piece.bytes.push(bytes === undefined ? Buffer.from(part) : Buffer.from(bytes, "base64"));
    at += length;
  }
  return pieces;
}
