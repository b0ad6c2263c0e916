/**
 * The file descriptors between the server and one command: pipes or a terminal, the bytes a sandbox needs, and the pipe that shows whether
 * it is alive.
 */
import type { ChildProcess } from "node:child_process";
import { closeSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import type { Command, WrappedCommand } from "../core/ports/command-runner.ts";
import { type Descriptor, spawnSealed } from "./descriptors.ts";
import type { CommandProcess, LiveParts } from "./live-command.ts";
import type { PipeEnds, PipePool } from "./pipes.ts";
import type { Terminal } from "./pty.ts";

export interface WiringInput {
  readonly command: Pick<Command, "stdin" | "merged">;
  /** In `extra`, numbers are file descriptors of the caller, which closes them; the caller writes into a "pipe"; gaps are ignored. */
  readonly wrapped: Pick<WrappedCommand, "argv" | "cwd" | "life" | "channel"> & {
    readonly extra: readonly (Uint8Array | number | "pipe" | undefined)[];
  };
  readonly terminal: Terminal | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** File descriptors of the server that the command must not inherit. */
  readonly open: readonly number[];
}

export interface Wired {
  readonly child: CommandProcess;
  /** Undefined if the process could not be started. */
  readonly parts: Pick<LiveParts, "outputs" | "input" | "life" | "resize" | "closeInput"> | undefined;
}

/** As a child of the server. */
export interface Forked extends Wired {
  readonly child: ChildProcess;
}

/** Starts the wrapped command and connects all its file descriptors. The command's sides are closed in the server before this returns. */
export function startWired({ command, wrapped, terminal, env, open }: WiringInput, pool: PipePool): Forked {
  const [program = "", ...args] = wrapped.argv;
  const standard = terminal === undefined ? pipes(command, pool) : undefined;
  const stdio: Descriptor[] = terminal === undefined ? (standard?.stdio ?? []) : [terminal.slave, terminal.slave, terminal.slave];
  const lent: (number | undefined)[] = [];
  for (const [i, given] of wrapped.extra.entries()) {
    if (given instanceof Uint8Array) lent[i] = pool.lend(given);
    stdio[3 + i] = given === undefined ? "ignore" : typeof given === "number" ? given : (lent[i] ?? "pipe");
  }
  if (wrapped.life !== undefined) stdio[wrapped.life] = "pipe";
  if (wrapped.channel !== undefined) stdio[wrapped.channel] = "ipc";
  // setsid(1) creates the session of a command with a terminal; a process that already leads one would have to fork first.
  const detached = terminal === undefined || wrapped.life !== undefined;
  let child: ChildProcess;
  try {
    child = spawnSealed(program, args, { cwd: wrapped.cwd, env: { ...env }, stdio, detached, windowsHide: true }, open);
  } catch (error) {
    standard?.closeOurs();
    terminal?.master.destroy();
    throw error;
  } finally {
    standard?.closeTheirs();
    for (const fd of lent) if (fd !== undefined) closeSync(fd);
    terminal?.releaseSlave();
  }
  if (child.pid === undefined) {
    standard?.closeOurs();
    terminal?.master.destroy();
    return { child, parts: undefined };
  }
  feed(child, wrapped.extra);
  const lifeStream = wrapped.life === undefined ? undefined : child.stdio[wrapped.life];
  const life = isReadable(lifeStream) ? lifeStream : undefined;
  return { child, parts: { life, ...(terminal === undefined ? pipeParts(child, standard, pool) : terminalParts(terminal)) } };
}

interface StandardPipes {
  readonly stdio: Descriptor[];
  readonly stdout: PipeEnds | undefined;
  readonly stderr: PipeEnds | undefined;
  closeTheirs(): void;
  closeOurs(): void;
}

/** Real pipes for the output if available, Node's sockets otherwise. */
function pipes({ stdin, merged }: WiringInput["command"], pool: PipePool): StandardPipes {
  const stdout = pool.take();
  const stderr = merged === true && stdout !== undefined ? undefined : pool.take();
  const shared = merged === true ? stdout?.write : undefined;
  const closeAll = (fds: readonly (number | undefined)[]): void => {
    for (const fd of fds) if (fd !== undefined) closeSync(fd);
  };
  return {
    stdio: [stdin === "closed" ? "ignore" : "pipe", stdout?.write ?? "pipe", shared ?? stderr?.write ?? "pipe"],
    stdout,
    stderr,
    closeTheirs: () => closeAll([stdout?.write, stderr?.write]),
    closeOurs: () => closeAll([stdout?.read, stderr?.read]),
  };
}

type Output = LiveParts["outputs"][number];

type Parts = Pick<LiveParts, "outputs" | "input" | "resize" | "closeInput">;

function pipeParts(child: ChildProcess, standard: StandardPipes | undefined, { scratch }: PipePool): Parts {
  const input = child.stdin;
  const outputs = [
    standard?.stdout === undefined ? fromStream(child.stdout, "stdout") : fromPipe(standard.stdout.read, "stdout", scratch),
    standard?.stderr === undefined ? fromStream(child.stderr, "stderr") : fromPipe(standard.stderr.read, "stderr", scratch),
  ].filter((output) => output !== undefined);
  return { outputs, input: input ?? undefined, resize: undefined, closeInput: () => input?.end() };
}

function fromStream(stream: Readable | null, name: Output["name"]): Output | undefined {
  return stream === null ? undefined : { stream, name, listen: (take) => void stream.on("data", take) };
}

/**
 * Reuses one buffer for all reads, so that a command with much output creates no garbage. Each chunk is consumed before the next read of
 * any pipe.
 */
export function fromPipe(fd: number, name: Output["name"], scratch: Buffer): Output {
  let listener: (chunk: Uint8Array) => void = () => undefined;
  const onread = {
    buffer: scratch,
    callback: (length: number, buffer: Uint8Array): boolean => {
      listener(new Uint8Array(buffer.buffer, buffer.byteOffset, length));
      return true;
    },
  };
  const stream = new Socket({ fd, readable: true, writable: false, onread });
  const listen: Output["listen"] = (take) => {
    listener = take;
    stream.resume();
  };
  return { stream, name, listen };
}

function terminalParts({ master, resize }: Terminal): Parts {
  // Closing the master side would close the terminal: end of input is a character.
  const output: Output = { stream: master, name: "stdout", listen: (take) => void master.on("data", take) };
  return { outputs: [output], input: master, resize, closeInput: () => master.write("\x04") };
}

function feed(child: ChildProcess, extra: WiringInput["wrapped"]["extra"]): void {
  for (const [i, bytes] of extra.entries()) {
    const stream = child.stdio[3 + i];
    if (!isWritable(stream) || !(bytes instanceof Uint8Array)) continue;
    stream.on("error", () => undefined); // It exited before it read them; its exit code shows that.
    stream.end(bytes);
  }
}

export const isWritable = (stream: Readable | Writable | null | undefined): stream is Writable =>
  stream !== null && stream !== undefined && "end" in stream;
const isReadable = (stream: Readable | Writable | null | undefined): stream is Readable =>
  stream !== null && stream !== undefined && "read" in stream;
