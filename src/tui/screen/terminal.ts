/** The terminal itself: what it can show, how it was found, and that it is left so. */
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

/** Terminals whose locale is not UTF-8 get plain letters instead of marks. */
export function isAscii(env: Env, platform: string): boolean {
  if (platform === "win32" || platform === "darwin") return false;
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return !/utf-?8/i.test(locale) && env["TMUX"] === undefined;
}

/** What the person or the terminal said before: `COLORFGBG` holds the colour numbers of text and background. */
export function brightnessFromEnv(env: Env): Brightness | undefined {
  const wanted = env["PARLEY_THEME"];
  if (wanted === "light" || wanted === "dark") return wanted;
  const background = env["COLORFGBG"]?.split(";").at(-1);
  if (background === undefined || !/^\d+$/.test(background)) return undefined;
  const number = Number(background);
  return number === 7 || number >= 9 ? "light" : "dark";
}

/** Long enough for a terminal at the other end of a slow line; only what is no terminal at all makes anybody wait for it. */
const queryMs = 500;

/**
 * Asks the terminal for its background colour. The second question is one that every terminal answers: when that answer comes alone,
 * nobody has to wait for the other.
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
    // A program that was busy all the while has its answer lying there unread.
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

/** Terminals put the window's name aside and take it up again. */
export const keepTitle = "\u001b[22;0t";
export const formerTitle = "\u001b[23;0t";

export function titleOf({ name, settings, turn }: Conversation, { asked }: Ui): string {
  const folder = settings === undefined ? "" : path.basename(settings.cwd);
  const mark = asked.length > 0 ? "? " : turn === undefined ? "" : "* ";
  return cleanLine(`${mark}Parley: ${name ?? folder}`).slice(0, 120);
}

/** Everything that may have been switched on, switched off: harmless where it was not. */
const restoreSequence = [
  "\u001b[?2026l", // drawing in one go
  "\u001b[?2004l", // marks around pasted text
  "\u001b[<u", // distinct codes for modified keys
  "\u001b7\u001b[?1049l", // second screen; the cursor is noted before, as the way back from it takes it up
  "\u001b[?25h", // cursor
  formerTitle,
  "\u001b[0m",
].join("");

/** For ways out on which nobody can clean up in order: a crash, a signal. */
export function restoreTerminal(stdin: ReadStream, stdout: WriteStream): void {
  try {
    if (stdin.isTTY) stdin.setRawMode(false);
  } catch {}
  try {
    stdout.write(restoreSequence);
  } catch {}
}

/** Nothing but the screen may write to the terminal: what libraries and the runtime print goes to the log. */
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

/** The way that the terminal at hand understands. */
export function notice(text: string, method: "osc9" | "bel" | "auto", env: Env): string {
  const isRich = ["iTerm.app", "WezTerm", "ghostty"].includes(env["TERM_PROGRAM"] ?? "") || env["TERM"] === "xterm-kitty";
  const printable = text.replace(/[^\x20-\x7e]/g, " ");
  return method === "osc9" || (method === "auto" && isRich) ? `\u001b]9;Parley: ${printable}\u0007` : "\u0007";
}
