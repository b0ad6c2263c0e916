/** Commands in a client's terminal: those that leave the sandbox anyway, where a client that has the thread open offers terminals. Wraps the CommandRunner port. */
import { type Command, CommandRefused, type CommandRunner, type Confinement, type RunningCommand } from "../core/ports/command-runner.ts";
import { parse } from "../lib/schema.ts";
import { TerminalCreateResponse } from "../protocol/client-terminal.ts";
import type { Outcome } from "../rpc/peer.ts";
import type { Session } from "./app.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** A client that has not started a command by then is not waited for. */
const createMs = 10_000;
/** How much output the client keeps for us. */
const keptBytes = 1024 * 1024;

/** Sends one request about terminals to the client; undefined when it has disconnected. */
export type AskClient = (
  method: "terminal/output" | "terminal/waitForExit" | "terminal/kill" | "terminal/release",
  params: { readonly terminalId: string },
) => Promise<Outcome | undefined>;

export interface ClientTerminalsOptions {
  readonly subscriptions: Pick<Subscriptions, "subscribers" | "requestOf">;
  /** The server's own environment: that of the client's terminals too, as far as can be known. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly createMs?: number;
}

export function withClientTerminals(runner: CommandRunner, options: ClientTerminalsOptions): CommandRunner {
  return {
    sandbox: () => runner.sandbox(),
    openNames: (confinement) => runner.openNames(confinement),
    hold: (isHeld) => runner.hold(isHeld),
    async start(command, confinement, signal) {
      const place = fitsTerminal(command, confinement) ? placeFor(command, options) : undefined;
      const running = place === undefined ? undefined : await startIn(place, command, options, signal);
      return running ?? (await runner.start(command, confinement, signal));
    },
  };
}

/** A client's terminal has no sandbox, and the model cannot type into it. */
const fitsTerminal = ({ tty }: Command, { policy, files }: Confinement): boolean =>
  policy.type === "dangerFullAccess" && files === undefined && tty === undefined;

interface Place {
  readonly session: Session;
  readonly item: NonNullable<Command["item"]>;
}
function placeFor({ item }: Command, { subscriptions }: ClientTerminalsOptions): Place | undefined {
  if (item === undefined) return undefined;
  const session = [...subscriptions.subscribers(item.threadId)].find(({ terminals }) => terminals);
  return session === undefined ? undefined : { session, item };
}

/** Undefined when the client refuses: then nothing has started. */
async function startIn(
  { session, item }: Place,
  command: Command,
  { subscriptions, env, createMs: waitMs = createMs }: ClientTerminalsOptions,
  signal: AbortSignal,
): Promise<RunningCommand | undefined> {
  const { threadId, turnId, itemId } = item;
  const ask: AskClient = (method, params) => subscriptions.requestOf(session, method, { threadId, ...params });
  const [program = "", ...args] = withoutHidden(command, env);
  const created = subscriptions.requestOf(session, "terminal/create", {
    ...{ threadId, turnId, itemId },
    ...{ command: program, args, cwd: command.cwd, outputByteLimit: keptBytes },
    env: Object.entries(command.env).map(([name, value]) => ({ name, value })),
  });
  const outcome = await within(created, waitMs, signal);
  const { ClientTerminal } = await import("./client-terminal.ts");
  const idIn = (of: Outcome | undefined): string | undefined =>
    of === undefined || "error" in of ? undefined : parse(TerminalCreateResponse, of.result)?.terminalId;
  if (outcome === "late") {
    // Whatever it starts after all is ended: nobody waits for it.
    void created.then((late) => {
      const id = idIn(late);
      const terminal = id === undefined ? undefined : new ClientTerminal(ask, id, { signal });
      void terminal?.kill();
    });
    throw new CommandRefused("other", `${session.client.name} did not start the command in its terminal in time; it was not run`);
  }
  if (outcome === undefined)
    throw new CommandRefused("other", `${session.client.name} disconnected while it was starting the command; whether it ran is unknown`);
  const id = idIn(outcome);
  if (id !== undefined) return new ClientTerminal(ask, id, { timeoutMs: command.timeoutMs, signal });
  if ("error" in outcome) return undefined;
  throw new CommandRefused(
    "other",
    `${session.client.name} answered terminal/create without a terminalId; whether the command ran is unknown`,
  );
}

/** A terminal starts with the client's variables: those that the policy keeps from commands are removed. */
function withoutHidden({ argv, env }: Command, own: ClientTerminalsOptions["env"]): readonly string[] {
  const hidden = Object.keys(own).filter((name) => own[name] !== undefined && !Object.hasOwn(env, name) && !name.includes("="));
  if (hidden.length === 0 || process.platform === "win32") return argv;
  return ["env", ...hidden.flatMap((name) => ["-u", name]), ...argv];
}

async function within<T>(promise: Promise<T>, ms: number, signal: AbortSignal): Promise<T | "late"> {
  const late = Promise.withResolvers<"late">();
  const timer = setTimeout(() => late.resolve("late"), ms);
  const stop = (): void => late.resolve("late");
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
