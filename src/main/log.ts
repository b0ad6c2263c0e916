/** The Log port: one JSON object per line, without secrets, to a file in the home folder and, on request, to stderr. */
import path from "node:path";
import type { Log } from "../core/ports/log.ts";
import { redactor, redactValue } from "../lib/redact.ts";
import { terminalJson } from "../lib/terminal-text.ts";
import { LogFile } from "./log-file.ts";
import { openStderr } from "./survive.ts";

const levels = ["error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof levels)[number];
const isLogLevel = (text: string): text is LogLevel => levels.some((level) => level === text);
export const logLevels: readonly LogLevel[] = levels;

/** The output for log lines. */
export interface LogSink {
  write(text: string): unknown;
  /** Characters not yet read by the other end. */
  readonly writableLength: number;
}

/** A reader that leaves more than this unread loses lines, so that a forgotten pipe cannot fill the memory. */
const maxBacklog = 1024 * 1024;
const maxText = 8 * 1024;

type Env = Readonly<Record<string, string | undefined>>;

export interface LogOptions {
  readonly home: string;
  /** The level requested on the command line. */
  readonly level?: LogLevel | undefined;
  readonly env: Env;
  /** `log_dir` of the settings, which are read after the log is opened. */
  readonly folder?: () => string | undefined;
  readonly stderr?: () => LogSink;
}

/** The default log folder. */
export const logFolder = (home: string): string => path.join(home, "parley", "log");

/** The default level of the file. */
const standardFileLevel: LogLevel = "info";
/** The default level of stderr: only our own faults. */
const quietLevel: LogLevel = "error";

export function openLog({ home, level, env, folder, stderr = openStderr }: LogOptions): Log {
  const requested = level ?? levelFrom(env);
  const clean = redactor(env);
  const file = new LogFile(() => folder?.() ?? logFolder(home), Date.now);
  const fileLevel =
    requested !== undefined && levels.indexOf(requested) > levels.indexOf(standardFileLevel) ? requested : standardFileLevel;
  return both(
    createLog(requested ?? quietLevel, { now: Date.now, sink: stderr, clean }),
    createLog(fileLevel, { now: Date.now, sink: () => file, clean, pid: process.pid }),
  );
}

/** `RUST_LOG` is used when it is a plain level: launchers of the other server set it. */
export function levelFrom(env: Env): LogLevel | undefined {
  return [env["PARLEY_LOG"], env["RUST_LOG"]].find((text): text is LogLevel => text !== undefined && isLogLevel(text));
}

const both = (one: Log, other: Log): Log => {
  const at =
    (at: LogLevel): Log["info"] =>
    (message, fields) => {
      one[at](message, fields);
      other[at](message, fields);
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
};

interface LineOptions {
  readonly now: () => number;
  readonly sink: () => LogSink;
  readonly clean: (text: string) => string;
  /** Distinguishes processes that write the same file. */
  readonly pid?: number;
}

export function createLog(level: LogLevel, { now, sink, clean, pid }: LineOptions): Log {
  let dropped = 0;
  const write = (at: LogLevel, message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
    if (levels.indexOf(at) > levels.indexOf(level)) return;
    const out = sink();
    if (out.writableLength > maxBacklog) {
      dropped++;
      return;
    }
    const head = {
      time: new Date(now()).toISOString(),
      level: at,
      ...(pid === undefined ? {} : { pid }),
      message: clean(message.slice(0, maxText)),
    };
    out.write(`${terminalJson({ ...head, ...cleaned(fields, clean), ...(dropped === 0 ? {} : { droppedLines: dropped }) })}\n`);
    dropped = 0;
  };
  return {
    debug: (message, fields) => write("debug", message, fields),
    info: (message, fields) => write("info", message, fields),
    warn: (message, fields) => write("warn", message, fields),
    error: (message, fields) => write("error", message, fields),
  };
}

/** Fields are converted to plain data first, so that secrets inside errors are found too. */
function cleaned(fields: Readonly<Record<string, unknown>>, clean: (text: string) => string): object {
  const values = Object.values(fields);
  if (values.length === 0) return {};
  try {
    const data: unknown = redactValue(values.every(isPlain) ? fields : JSON.parse(JSON.stringify(fields, plain)), clean);
    return typeof data === "object" && data !== null ? data : {};
  } catch {
    return { fields: "not printable" };
  }
}

/** What JSON leaves as it is. */
const isPlain = (value: unknown): boolean =>
  typeof value === "string" ? value.length <= maxText : value === null || ["number", "boolean", "undefined"].includes(typeof value);

function plain(_key: string, value: unknown): unknown {
  if (value instanceof Error)
    return { message: value.message, stack: value.stack, ...(value.cause === undefined ? {} : { cause: value.cause }) };
  if (typeof value === "bigint") return value.toString();
  return typeof value === "string" && value.length > maxText ? `${value.slice(0, maxText)}…` : value;
}
