/** `write_stdin`: input for a command that still runs, or another look at it. */

import type { Tool } from "../core/ports/tool.ts";
import { maybe, named, natural, object, string } from "../lib/schema.ts";
import { checked, parameters } from "./arguments.ts";

const Args = named("WriteStdinArgs", () =>
  object({ session_id: natural(), chars: maybe(string()), yield_time_ms: maybe(natural()), max_output_tokens: maybe(natural()) }),
);

export const writeStdin: Tool = {
  name: "write_stdin",
  spec: {
    type: "function",
    name: "write_stdin",
    description: "Writes to a running exec_command session and returns its new output. Leave chars empty to only look.",
    strict: false,
    parameters: parameters(
      {
        session_id: { type: "number", description: "The id that exec_command returned." },
        chars: { type: "string", description: "What to write; may hold control characters." },
        yield_time_ms: { type: "number", description: "Milliseconds to wait for output; 250 when left out." },
        max_output_tokens: { type: "number", description: "How much output to return at most." },
      },
      ["session_id"],
    ),
  },
  plan(call) {
    const read = checked(Args, call.args);
    if ("failure" in read) return read.failure;
    const { args } = read;
    return {
      kind: "stdin",
      sessionId: args.session_id,
      chars: args.chars ?? "",
      yieldMs: Math.min(300_000, Math.max(250, args.yield_time_ms ?? 250)),
      ...(args.max_output_tokens ? { maxOutputTokens: args.max_output_tokens } : {}),
    };
  },
};
