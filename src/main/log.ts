/** The Log port on stderr: one JSON object a line, for people and for log collectors. */
import type { Log } from "../core/ports/log.ts";

const levels = ["error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof levels)[number];
export const isLogLevel = (word: string): word is LogLevel => levels.some((level) => level === word);

/** Where lines go. */
export interface LogSink {
  write(text: string): unknown;
  /** Characters not yet taken by the reader. */
  readonly writableLength: number;
}

/** A reader that leaves more than this unread loses lines, so that a forgotten pipe cannot fill the memory. */
const maxBacklog = 1024 * 1024;
const maxText = 8 * 1024;

export function createLog(level: LogLevel, now: () => number, sink: () => LogSink = () => process.stderr): Log {
  let dropped = 0;
  const write = (at: LogLevel, message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
    if (levels.indexOf(at) > levels.indexOf(level)) return;
    const out = sink();
    if (out.writableLength > maxBacklog) {
      dropped++;
      return;
    }
    const head = { time: new Date(now()).toISOString(), level: at, message: message.slice(0, maxText) };
    out.write(`${line({ ...head, ...fields, ...(dropped === 0 ? {} : { droppedLines: dropped }) })}\n`);
    dropped = 0;
  };
  return {
    debug: (message, fields) => write("debug", message, fields),
    info: (message, fields) => write("info", message, fields),
    warn: (message, fields) => write("warn", message, fields),
    error: (message, fields) => write("error", message, fields),
  };
}

function line(entry: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(entry, plain);
  } catch {
    return JSON.stringify({ time: entry["time"], level: entry["level"], message: entry["message"], fields: "not printable" });
  }
}

function plain(_key: string, value: unknown): unknown {
  if (value instanceof Error)
    return { message: value.message, stack: value.stack, ...(value.cause === undefined ? {} : { cause: value.cause }) };
  if (typeof value === "bigint") return value.toString();
  return typeof value === "string" && value.length > maxText ? `${value.slice(0, maxText)}…` : value;
}
