/** `parley sandbox`: runs one command in the sandbox that the settings ask for, with this terminal's input and output. */
import { once } from "node:events";
import path from "node:path";
import type { Client } from "../client/client.ts";
import { connectInProcess } from "../main/in-process.ts";
import { sandboxHelp } from "./help/settings-helps.ts";
import { overridesFrom, withApp } from "./own-app.ts";
import { type Globals, oneOf, readFlags, splitCommand, UsageError, unknownSubcommand } from "./usage.ts";
import { version } from "./version.ts";

const processId = "sandbox";
const modes = ["read-only", "workspace-write", "danger-full-access"] as const;

export async function run(args: readonly string[], globals: Globals): Promise<number> {
  const { own, command } = splitCommand(args, sandboxHelp);
  const { values } = readFlags(own, sandboxHelp);
  if (command.length === 0) throw new UsageError("the command is missing: parley sandbox [OPTIONS] [--] <COMMAND>...");
  if (command.length === 1 && command[0] === "uninstall" && !args.includes("--")) throw unknownSubcommand("uninstall", []);
  const profile = values["permission-profile"];
  if (profile !== undefined && values.sandbox !== undefined) throw new UsageError("give --permission-profile or --sandbox, not both");
  const mode = values.sandbox === undefined ? [] : [`sandbox_mode="${oneOf("sandbox", values.sandbox, modes)}"`];
  return withApp(globals, [...overridesFrom(values), ...mode], async (app) => {
    const clientInfo = { name: "parley_sandbox", title: "Parley sandbox", version };
    const client = await connectInProcess(app, { clientInfo, capabilities: { experimentalApi: true } });
    return await execute(client, command, { cwd: path.resolve(values.cd ?? "."), profile });
  });
}

interface Place {
  readonly cwd: string;
  readonly profile: string | undefined;
}

async function execute(client: Client, command: readonly string[], { cwd, profile }: Place): Promise<number> {
  const tty = process.stdin.isTTY && process.stdout.isTTY;
  client.on("command/exec/outputDelta", ({ stream, deltaBase64 }) => {
    process[stream].write(Buffer.from(deltaBase64, "base64"));
  });
  const ended = client.call("command/exec", {
    ...{ command: [...command], cwd, processId, tty, streamStdin: true, streamStdoutStderr: true },
    ...{ disableTimeout: true, disableOutputCap: true },
    ...(tty ? { size: { cols: process.stdout.columns, rows: process.stdout.rows } } : {}),
    ...(profile === undefined ? {} : { permissionProfile: profile }),
  });
  const release = passInput(client, tty);
  try {
    const { exitCode } = await ended;
    for (const stream of [process.stdout, process.stderr]) if (stream.writableNeedDrain) await once(stream, "drain");
    return exitCode;
  } finally {
    release();
  }
}

/** Input, window size and signals reach the command. What comes after its end has nobody to reach. */
function passInput(client: Client, tty: boolean): () => void {
  const { stdin, stdout, stderr } = process;
  const ignore = (): void => {};
  const write = (params: { deltaBase64?: string; closeStdin?: boolean }): void =>
    void client.call("command/exec/write", { processId, ...params }).catch(ignore);
  const onData = (bytes: Buffer): void => write({ deltaBase64: bytes.toString("base64") });
  const onEnd = (): void => write({ closeStdin: true });
  const onResize = (): void =>
    void client.call("command/exec/resize", { processId, size: { cols: stdout.columns, rows: stdout.rows } }).catch(ignore);
  const onSignal = (): void => void client.call("command/exec/terminate", { processId }).catch(ignore);
  stdin.on("data", onData).on("end", onEnd);
  for (const stream of [stdout, stderr]) stream.on("error", onSignal);
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, onSignal);
  if (tty) {
    stdin.setRawMode(true);
    stdout.on("resize", onResize);
  }
  return () => {
    stdin.off("data", onData).off("end", onEnd).pause();
    if (tty) {
      stdin.setRawMode(false);
      stdout.off("resize", onResize);
    }
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.off(signal, onSignal);
  };
}
