/** Runs one hook: a command with the user's rights and environment, or a tool of an MCP server. */

import { errorMessage } from "../../lib/error-text.ts";
import { RpcError } from "../../protocol/errors.ts";
import type { AuditSubject } from "../ports/audit.ts";
import { AuditUnwritten } from "../ports/audit.ts";
import { CommandRefused } from "../ports/command-runner.ts";
import type { CommandHook, Hook, McpToolHook } from "../ports/hooks.ts";
import type { HookedThread, HookedTurn } from "./hooked.ts";
import type { HookExit } from "./output.ts";

export interface HookContext {
  readonly thread: HookedThread;
  readonly turn: HookedTurn | undefined;
  readonly input: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** A hook that prints more is broken. */
const maxBytes = 1024 * 1024;

/** Rejects only when the audit log cannot be written; the hook has not run then. */
export async function runHandler(hook: Hook, context: HookContext): Promise<HookExit> {
  const { audit, log } = context.thread.ports;
  const subject = subjectOf(hook, context);
  await audit.write({ ...subject, event: "decided", decision: "allowedByRule", by: trustOf(hook), sandboxed: false });
  const exit = await attempt(hook, context);
  const outcome = exit.error ?? `exit code ${exit.exitCode}`;
  await audit.write({ ...subject, event: "ended", outcome }).catch((error: unknown) => log.warn(String(error)));
  return exit;
}

async function attempt(hook: Hook, context: HookContext): Promise<HookExit> {
  const { handler, metadata } = hook;
  const seconds = metadata.timeoutSec;
  try {
    return handler.type === "command" ? await runCommandHook(handler, seconds, context) : await runMcpHook(handler, seconds, context);
  } catch (error) {
    if (error instanceof AuditUnwritten) throw error;
    if (context.signal.aborted) return ended("it was ended with its turn");
    if (!(error instanceof CommandRefused || error instanceof RpcError || error instanceof MissingField))
      context.thread.ports.log.error("a hook could not be run", { hook: metadata.key, error: String(error) });
    return ended(errorMessage(error));
  }
}

const ended = (error: string): HookExit => ({ stdout: "", stderr: "", exitCode: -1, error });

async function runCommandHook(
  { command, env }: CommandHook,
  seconds: number,
  { thread, turn, input, signal }: HookContext,
): Promise<HookExit> {
  const { ports, settings } = thread;
  const running = await ports.runner.start(
    {
      argv: [ports.surroundings.shell().path, "-lc", command],
      cwd: settings.cwd,
      env: { ...ports.personEnv, ...env },
      stdin: "open",
      timeoutMs: seconds * 1000,
    },
    { policy: { type: "dangerFullAccess" }, workspaceRoots: settings.workspaceRoots },
    signal,
  );
  turn?.commands.add(running);
  const out = { stdout: new Collected(), stderr: new Collected() };
  running.onOutput = (chunk, stream) => {
    out[stream].add(chunk);
  };
  running.write(JSON.stringify(input));
  running.closeStdin();
  const exit = await running.exit;
  if (turn === undefined) void running.kill();
  if (exit.timedOut) return ended(`it ran for more than ${seconds} s and was ended`);
  if (signal.aborted) return ended("it was ended with its turn");
  if (out.stdout.isOver) return ended(`it printed more than ${maxBytes} bytes`);
  return { stdout: out.stdout.text(), stderr: out.stderr.text(), exitCode: exit.exitCode };
}

class Collected {
  readonly #chunks: Uint8Array[] = [];
  #length = 0;
  isOver = false;

  add(chunk: Uint8Array): void {
    const room = maxBytes - this.#length;
    if (chunk.length > room) this.isOver = true;
    if (room <= 0) return;
    this.#chunks.push(Buffer.from(chunk.subarray(0, room))); // the runner reuses its buffer
    this.#length += Math.min(room, chunk.length);
  }
  text(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }
}

async function runMcpHook({ server, tool, input: template }: McpToolHook, seconds: number, context: HookContext): Promise<HookExit> {
  const { thread, input, signal } = context;
  const { ports, config, settings } = thread;
  const call = { server, tool, args: filled(template, input) };
  const limit = AbortSignal.any([signal, ports.clock.timeout(seconds * 1000)]);
  const answer = await Promise.race([
    ports.callMcpTool({ threadId: thread.id, config, cwd: settings.cwd }, call),
    new Promise<undefined>((resolve) => limit.addEventListener("abort", () => resolve(undefined), { once: true })),
  ]);
  if (answer === undefined) return ended(signal.aborted ? "it was ended with its turn" : `it ran for more than ${seconds} s`);
  const text = answer.content.flatMap((part) => (isText(part) ? [part.text] : [])).join("\n");
  return answer.isError === true
    ? ended(text.slice(0, 1000) || "the tool failed")
    : { stdout: text.slice(0, maxBytes), stderr: "", exitCode: 0 };
}

const isText = (part: unknown): part is { text: string } =>
  typeof part === "object" && part !== null && "text" in part && typeof part.text === "string";

class MissingField extends Error {}

/** `${tool_input.path}` alone yields the value itself; inside other text, its string form. */
function filled(template: unknown, event: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(template)) return template.map((entry) => filled(entry, event));
  if (typeof template === "object" && template !== null)
    return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, filled(value, event)]));
  if (typeof template !== "string") return template;
  const whole = /^\$\{([^{}]+)\}$/.exec(template)?.[1];
  if (whole !== undefined) return fieldOf(event, whole);
  return template.replace(/\$\{([^{}]+)\}/g, (_, path: string) => {
    const value = fieldOf(event, path);
    return typeof value === "string" ? value : JSON.stringify(value);
  });
}

function fieldOf(event: unknown, path: string): unknown {
  let value = event;
  for (const step of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step))
      throw new MissingField(`its \`input\` names \`\${${path}}\`, which this event does not have`);
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

function subjectOf({ handler, metadata }: Hook, { thread, turn }: HookContext): AuditSubject {
  return {
    threadId: thread.id,
    turnId: turn?.id ?? "",
    itemId: metadata.key,
    kind: "hook",
    subject: handler.type === "command" ? handler.command : `${handler.server}: ${handler.tool}`,
    cwd: thread.settings.cwd,
  };
}

const trustOf = ({ metadata }: Hook): string =>
  metadata.trustStatus === "managed"
    ? `managed by ${metadata.sourcePath}`
    : metadata.trustStatus === "trusted"
      ? "trusted by the user"
      : "the flag that trusts all hooks";
