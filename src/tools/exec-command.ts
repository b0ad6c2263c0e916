/** `exec_command`: a script that may run on in the background, with a terminal where asked. */
import path from "node:path";
import { failed, type Tool } from "../core/ports/tool.ts";
import { array, boolean, maybe, named, natural, object, string } from "../lib/schema.ts";
import { checked, parameters } from "./arguments.ts";
import { escalationOf, escalationParameters, workdir } from "./command.ts";

const yieldMs = { least: 250, most: 30_000, usual: 10_000 };
/** Shells that the model may choose; anything else could be a program that only looks like one. */
const shells = new Set(["bash", "sh", "zsh", "dash", "fish"]);

const Args = named("ExecCommandArgs", () =>
  object({
    cmd: string(),
    workdir: maybe(string()),
    shell: maybe(string()),
    login: maybe(boolean()),
    tty: maybe(boolean()),
    yield_time_ms: maybe(natural()),
    max_output_tokens: maybe(natural()),
    sandbox_permissions: maybe(string()),
    justification: maybe(string()),
    prefix_rule: maybe(array(string())),
  }),
);

export const execCommand = (shellPath: string): Tool => ({
  name: "exec_command",
  spec: {
    type: "function",
    name: "exec_command",
    description:
      "Runs a script and returns its output, or a session id when it still runs after yield_time_ms; speak to it with write_stdin then.",
    strict: false,
    parameters: parameters(
      {
        cmd: { type: "string", description: "The script." },
        workdir: { type: "string", description: "The folder to run it in." },
        shell: { type: "string", description: "The shell to use; the user's own when left out." },
        login: { type: "boolean", description: "Whether the shell reads the login files; true when left out." },
        tty: { type: "boolean", description: "Whether it gets a terminal; false when left out." },
        yield_time_ms: { type: "number", description: "Milliseconds to wait for its end; 10000 when left out." },
        max_output_tokens: { type: "number", description: "How much output to return at most." },
        ...escalationParameters,
      },
      ["cmd"],
    ),
  },
  plan(call, settings) {
    const read = checked(Args, call.args);
    if ("failure" in read) return read.failure;
    const { args } = read;
    if (args.cmd.trim() === "") return failed("failed to parse function arguments: cmd must not be empty");
    return {
      kind: "command",
      argv: [shellFor(args.shell, shellPath), args.login === false ? "-c" : "-lc", args.cmd],
      cwd: workdir(settings, args.workdir),
      tty: args.tty === true,
      yieldMs: Math.min(yieldMs.most, Math.max(yieldMs.least, args.yield_time_ms ?? yieldMs.usual)),
      timeoutMs: undefined,
      maxOutputTokens: args.max_output_tokens ?? undefined,
      format: "exec_command",
      ...escalationOf(args),
    };
  },
});

/** A shell by its bare name in the system's folder; a path of the model's choosing is not followed. */
function shellFor(wanted: string | null | undefined, usual: string): string {
  const name = wanted ? path.basename(wanted) : "";
  return shells.has(name) && name !== path.basename(usual) ? `/bin/${name}` : usual;
}
