/** Terminals for commands that request one: the native module if it is installed, else script(1), else plain pipes with a note. */
import { closeSync } from "node:fs";
import { createRequire } from "node:module";
import { ReadStream } from "node:tty";
import type { Command } from "../core/ports/command-runner.ts";
import { ownModule } from "../lib/own-module.ts";
import { findSystemProgram } from "../lib/program.ts";
import { quoteCommand } from "../shell/quote.ts";

/** A terminal whose slave side can be a process's standard file descriptors. */
export interface Terminal {
  /** The command's side. */
  readonly slave: number;
  /** The server's side: output is read from it, input written to it. Any child of the server would inherit its file descriptor. */
  readonly master: ReadStream;
  readonly masterDescriptor: number;
  /** Closes the command's side in the server once the command has it. */
  releaseSlave(): void;
  resize(cols: number, rows: number): void;
}

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

/** The module's native part. Checked before use, because the module is optional. */
interface NativeTerminals {
  open(cols: number, rows: number): { readonly master: number; readonly slave: number };
  resize(master: number, cols: number, rows: number): void;
}

/**
 * Opens a terminal pair; undefined if the native module is missing. The module's own spawn is not used: it cannot pass the file descriptors
 * that a sandbox needs, and it would leak the master side of one terminal into the next command.
 */
export function openTerminal(size: TerminalSize): Terminal | undefined {
  const native = process.platform === "linux" ? loadNative() : undefined;
  if (native === undefined) return undefined;
  const { master, slave } = native.open(size.cols, size.rows);
  const stream = new ReadStream(master);
  return {
    slave,
    master: stream,
    masterDescriptor: master,
    releaseSlave: once(() => closeSync(slave)),
    resize: (cols, rows) => {
      if (!stream.destroyed) native.resize(master, cols, rows);
    },
  };
}

function loadNative(): NativeTerminals | undefined {
  try {
    const module = ownModule("@lydell/node-pty");
    if (module === undefined) return undefined;
    // The binary is a separate package per platform, which only the module itself can reliably resolve.
    const native: unknown = createRequire(module)(`@lydell/node-pty-${process.platform}-${process.arch}/pty.node`);
    return isNative(native) ? native : undefined;
  } catch {
    return undefined;
  }
}

function isNative(native: unknown): native is NativeTerminals {
  if (typeof native !== "object" || native === null) return false;
  return "open" in native && typeof native.open === "function" && "resize" in native && typeof native.resize === "function";
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}

export interface TerminalPlan {
  /** The command, prefixed with what makes the terminal its controlling terminal. */
  readonly command: Command;
  readonly terminal: Terminal | undefined;
  /** For the reader of the output, if no terminal is available. */
  readonly note: string | undefined;
}

/** How to provide the terminal that the command requests. */
export function planTerminal(command: Command): TerminalPlan {
  if (command.tty === undefined) return { command, terminal: undefined, note: undefined };
  const setsid = findSystemProgram("setsid");
  const terminal = setsid === undefined ? undefined : openTerminal(command.tty);
  if (setsid !== undefined && terminal !== undefined)
    return { command: { ...command, argv: [setsid, "--ctty", ...command.argv] }, terminal, note: undefined };
  const { tty, ...plain } = command;
  const argv = scriptedTerminal(command.argv, tty);
  return argv === undefined
    ? { command: plain, terminal: undefined, note: noTerminalNote }
    : { command: { ...plain, argv }, terminal: undefined, note: undefined };
}

/** The command line that runs a command in a terminal created by script(1); it cannot be resized. */
export function scriptedTerminal(argv: readonly string[], size: TerminalSize): string[] | undefined {
  const script = findSystemProgram("script");
  if (script === undefined || process.platform === "win32") return undefined;
  const line = `stty cols ${Math.trunc(size.cols)} rows ${Math.trunc(size.rows)} 2>/dev/null; exec ${quoteCommand(argv)}`;
  if (process.platform === "darwin") return [script, "-q", "/dev/null", "/bin/sh", "-c", line];
  return [script, "--quiet", "--flush", "--return", "--command", line, "/dev/null"];
}

const noTerminalNote =
  "parley: no terminal can be had here (install the optional package @lydell/node-pty, or script(1)); running with plain pipes.\n";
