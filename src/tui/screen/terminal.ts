/** The terminal itself: its capabilities, its initial state, and restoring that state. */
import path from "node:path";
import type { ReadStream, WriteStream } from "node:tty";
import { cleanLine } from "../../lib/terminal-text.ts";
import type { Conversation } from "../state/conversation.ts";
import type { Ui } from "../state/ui.ts";
import type { Brightness, Depth } from "../text/theme.ts";

type Env = Readonly<Record<string, string | undefined>>;

export function depthOf(stdout: WriteStream, env: Env): Depth {
  if (env["NO_COLOR"]) return 1;
  if (env["COLORTERM"] === "truecolor" || env["COLORTERM"] === "24bit") return 24;
  const bits = stdout.getColorDepth({ ...env });
  return bits >= 24 ? 24 : bits >= 8 ? 8 : bits >= 4 ? 4 : 1;
}

/** Terminals whose locale is not UTF-8 get ASCII instead of symbols. */
export function isAscii(env: Env, platform: string): boolean {
  if (platform === "win32" || platform === "darwin") return false;
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return !/utf-?8/i.test(locale) && env["TMUX"] === undefined;
}

/** The person's word for this one start. */
export function brightnessWanted(env: Env): Brightness | undefined {
  const theme = env["PARLEY_THEME"];
  return theme === "light" || theme === "dark" ? theme : undefined;
}

/** Known without a query: `COLORFGBG` contains the colour numbers of text and background. */
export function brightnessOfTerminal(env: Env): Brightness | undefined {
  const background = env["COLORFGBG"]?.split(";").at(-1);
  if (background === undefined || !/^\d+$/.test(background)) return undefined;
  const number = Number(background);
  return number === 7 || number >= 9 ? "light" : "dark";
}

/** Long enough for a terminal at the other end of a slow connection; only something that is no terminal runs into it. */
const queryMs = 500;

/**
 * Queries the terminal's background colour. The second query is one that every terminal answers: when only that response arrives, there
 * is no need to wait for the other.
 */
export function askBrightness(stdin: ReadStream, stdout: WriteStream): Promise<Brightness | undefined> {
  const wasRaw = stdin.isRaw;
  return new Promise((resolve) => {
    let received = "";
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      stdin.off("data", receive);
      stdin.setRawMode(wasRaw);
      stdin.pause();
      resolve(brightnessFrom(received));
    };
    const receive = (bytes: Buffer | string): void => {
      received += bytes.toString();
      if (/\u001b\[\?[\d;]*c/.test(received)) end();
    };
    // If the program was busy all the while, the response is waiting unread.
    const timer = setTimeout(() => setImmediate(end), queryMs);
    stdin.setRawMode(true);
    stdin.on("data", receive);
    stdin.resume();
    stdout.write("\u001b]11;?\u001b\\\u001b[c");
  });
}

export function brightnessFrom(answer: string): Brightness | undefined {
  const [, r, g, b] = /\u001b\]11;rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})/i.exec(answer) ?? [];
  if (r === undefined || g === undefined || b === undefined) return undefined;
  const part = (hex: string): number => Number.parseInt(hex, 16) / (16 ** hex.length - 1);
  return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b) > 0.5 ? "light" : "dark";
}

/** Terminals can save and restore the window title. */
export const keepTitle = "\u001b[22;0t";
export const formerTitle = "\u001b[23;0t";

export function titleOf({ name, settings, turn }: Conversation, { pending }: Ui): string {
  const folder = settings === undefined ? "" : path.basename(settings.cwd);
  const mark = pending.length > 0 ? "? " : turn === undefined ? "" : "* ";
  const of = name ?? folder;
  return cleanLine(`${mark}Parley${of === "" ? "" : `: ${of}`}`).slice(0, 120);
}

/** Turns off everything that may have been turned on: harmless where it was not. */
const restoreSequence = [
  "\u001b[?2026l", // synchronized output
  "\u001b[?2004l", // bracketed paste
  "\u001b[<u", // distinct codes for modified keys
  "\u001b7\u001b[?1049l", // alternate screen; the cursor is saved before, since leaving it restores the cursor
  "\u001b[?25h", // cursor
  formerTitle,
  "\u001b[0m",
].join("");

/** For exits without an orderly cleanup: a crash, a signal. */
export function restoreTerminal(stdin: ReadStream, stdout: WriteStream): void {
  try {
    if (stdin.isTTY) stdin.setRawMode(false);
  } catch {}
  try {
    stdout.write(restoreSequence);
  } catch {}
}

/** Only the screen may write to the terminal: output of libraries and the runtime goes to the log. */
export function muteStray(report: (text: string) => void): () => void {
  const { stderr } = process;
  const write = stderr.write;
  stderr.write = ((text: string | Uint8Array, ...rest: unknown[]): boolean => {
    report(typeof text === "string" ? text : Buffer.from(text).toString("utf8"));
    const done = rest.find((argument) => typeof argument === "function");
    if (typeof done === "function") queueMicrotask(() => done());
    return true;
  }) as typeof stderr.write;
  return () => {
    stderr.write = write;
  };
}

/** The notification method that this terminal supports. */
export function notice(text: string, method: "osc9" | "bel" | "auto", env: Env): string {
  const isRich = ["iTerm.app", "WezTerm", "ghostty"].includes(env["TERM_PROGRAM"] ?? "") || env["TERM"] === "xterm-kitty";
  const printable = text.replace(/[^\x20-\x7e]/g, " ");
  return method === "osc9" || (method === "auto" && isRich) ? `\u001b]9;Parley: ${printable}\u0007` : "\u0007";
}
