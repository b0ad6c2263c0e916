/** `shell`: one command as a list of words, run to its end. */

import { failed, type Tool } from "../core/ports/tool.ts";
import { array, maybe, named, natural, object, string } from "../lib/schema.ts";
import { checked, parameters } from "./arguments.ts";
import { escalationOf, escalationParameters, workdir } from "./command.ts";

const defaultTimeoutMs = 10_000;

const Args = named("ShellArgs", () =>
  object({
    command: array(string()),
    workdir: maybe(string()),
    timeout_ms: maybe(natural()),
    timeout: maybe(natural()),
    sandbox_permissions: maybe(string()),
    justification: maybe(string()),
    prefix_rule: maybe(array(string())),
  }),
);

export const shell: Tool = {
  name: "shell",
  spec: {
    type: "function",
    name: "shell",
    description:
      'Runs a command and returns its output. Most commands want a shell: ["bash", "-lc", "…"]. Set workdir instead of using cd.',
    strict: false,
    parameters: parameters(
      {
        command: { type: "array", items: { type: "string" }, description: "The command, one word an element." },
        workdir: { type: "string", description: "The folder to run it in." },
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
    if (args.command.length === 0 || args.command[0] === "") return failed("failed to parse function arguments: command must not be empty");
    return {
      kind: "command",
      argv: args.command,
      cwd: workdir(settings, args.workdir),
      tty: false,
      yieldMs: undefined,
      timeoutMs: args.timeout_ms ?? args.timeout ?? defaultTimeoutMs,
      maxOutputTokens: undefined,
      format: "shell",
      ...escalationOf(args),
    };
  },
};
