/** `shell_command`: one line for the person's own shell, run to its end. */

import { failed, type Tool } from "../core/ports/tool.ts";
import { array, boolean, maybe, named, natural, object, string } from "../lib/schema.ts";
import { checked, parameters } from "./arguments.ts";
import { escalationOf, escalationParameters, workdir } from "./command.ts";

const defaultTimeoutMs = 10_000;

const Args = named("ShellCommandArgs", () =>
  object({
    command: string(),
    workdir: maybe(string()),
    login: maybe(boolean()),
    timeout_ms: maybe(natural()),
    timeout: maybe(natural()),
    sandbox_permissions: maybe(string()),
    justification: maybe(string()),
    prefix_rule: maybe(array(string())),
  }),
);

export const shellCommand = (shellPath: string): Tool => ({
  name: "shell_command",
  spec: {
    type: "function",
    name: "shell_command",
    description: "Runs a script in the user's shell and returns its output. Set workdir instead of using cd.",
    strict: false,
    parameters: parameters(
      {
        command: { type: "string", description: "The script." },
        workdir: { type: "string", description: "The folder to run it in." },
        login: { type: "boolean", description: "Whether the shell reads the login files; true when left out." },
        timeout_ms: { type: "number", description: "Milliseconds until it is stopped; 10000 when left out." },
        ...escalationParameters,
      },
      ["command"],
    ),
  },
  plan(call, settings) {
    const read = checked(Args, call.args);
    if ("failure" in read) return read.failure;
    const { args } = read;
    if (args.command.trim() === "") return failed("failed to parse function arguments: command must not be empty");
    return {
      kind: "command",
      argv: [shellPath, args.login === false ? "-c" : "-lc", args.command],
      cwd: workdir(settings, args.workdir),
      tty: false,
      yieldMs: undefined,
      timeoutMs: args.timeout_ms ?? args.timeout ?? defaultTimeoutMs,
      maxOutputTokens: undefined,
      format: "shell_command",
      ...escalationOf(args),
    };
  },
});
