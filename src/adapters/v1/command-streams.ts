/** Command output for v1 events: stdout and stderr separately, as deltas and in full at the end. */
import type { ParamsOf } from "../../protocol/define.ts";
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
    const piece = split(delta, runs);
    const all = this.#running.get(itemId) ?? { stdout: "", stderr: "" };
    all.stdout += piece.stdout;
    all.stderr += piece.stderr;
    this.#running.set(itemId, all);
    for (const [oldest] of this.#running) if (this.#running.size > maxCommands) this.#running.delete(oldest);
    return (["stdout", "stderr"] as const).flatMap((stream): EventMessage[] =>
      piece[stream] === ""
        ? []
        : [{ type: "exec_command_output_delta", call_id: itemId, stream, chunk: Buffer.from(piece[stream]).toString("base64") }],
    );
  }

  /** Both streams of a command that has ended; undefined if it printed nothing. */
  take(itemId: string): Streams | undefined {
    const found = this.#running.get(itemId);
    this.#running.delete(itemId);
    return found;
  }
}

function split(text: string, runs: Delta["runs"]): Streams {
  if (runs === undefined) return { stdout: text, stderr: "" };
  const parts = { stdout: "", stderr: "" };
  let at = 0;
  for (const { stream, length } of runs) {
    parts[stream] += text.slice(at, at + length);
    at += length;
  }
  return parts;
}
