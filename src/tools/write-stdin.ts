/** `write_stdin`: sends input to a running command, or polls it. */

import { described, maybe, named, natural, object, string } from "../lib/schema.ts";
import { functionTool } from "./define.ts";

/** A poll without input waits longer, so that a model does not ask four times a second whether a build is done. */
const yieldMs = { least: 250, leastToLook: 5000, most: 300_000 };

const Args = named("WriteStdinArgs", () =>
  object({
    session_id: described(natural(), "The id that exec_command returned."),
    chars: maybe(described(string(), "What to write; may hold control characters.")),
    yield_time_ms: maybe(described(natural(), "Milliseconds to wait for output; 250 when left out, at least 5000 when chars is empty.")),
    max_output_tokens: maybe(described(natural(), "How much output to return at most.")),
  }),
);

export const writeStdin = functionTool({
  name: "write_stdin",
  description: "Writes to a running exec_command session and returns its new output. Leave chars empty to only look.",
  args: Args,
  otherNames: { input: "chars", text: "chars", stdin: "chars", id: "session_id", session: "session_id" },
  plan(args) {
    const chars = args.chars ?? "";
    const least = chars === "" ? yieldMs.leastToLook : yieldMs.least;
    return {
      kind: "stdin",
      sessionId: args.session_id,
      chars,
      yieldMs: Math.min(yieldMs.most, Math.max(least, args.yield_time_ms ?? least)),
      ...(args.max_output_tokens ? { maxOutputTokens: args.max_output_tokens } : {}),
    };
  },
});
