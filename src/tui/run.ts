/** `runTui`: the terminal client from the first key to the last. Always restores the terminal, whatever happens. */
import { homedir } from "node:os";
import { errorMessage, errorStack } from "../lib/error-text.ts";
import { isCode } from "../lib/system-error.ts";
import { clean, cleanLine } from "../lib/terminal-text.ts";
import { PlainScreen } from "./screen/plain-screen.ts";
import { Screen } from "./screen/screen.ts";
import { askBrightness, brightnessOfTerminal, brightnessWanted, depthOf, isAscii, muteStray, restoreTerminal } from "./screen/terminal.ts";
import { App, type Stage } from "./shell/app.ts";
import { paste, press } from "./shell/keys.ts";
import type { TuiOptions } from "./shell/shell.ts";
import type { Store } from "./shell/store.ts";
import { readTuiConfig } from "./shell/tui-config.ts";
import { type Brightness, createTheme, type Theme, type ThemeChoice, themeChoice } from "./text/theme.ts";

export type { Start, TuiOptions } from "./shell/shell.ts";

/** Resolves with the exit code. Contract: stdin and stdout are terminals. */
export async function runTui(options: TuiOptions): Promise<number> {
  const { stdin, stdout } = process;
  const client = await options.connect();
  const config = await readTuiConfig(client, options.cwd);
  const theme = await themeFor(options, config.theme);
  const usesAltScreen = options.usesAltScreen && config.usesAltScreen && !options.spoken;
  const unmute = muteStray((text) => options.report(text.trimEnd()));
  let screen: Screen | PlainScreen | undefined;
  const app: App = new App(
    { ...options, usesAltScreen },
    client,
    stageOf(() => screen, theme, options.spoken),
    config,
  );
  const common = { theme, home: homedir(), stdin, stdout };
  const { animates, notificationMethod } = config;
  screen = options.isPlain
    ? new PlainScreen({ ...common, onEnd: () => app.quit() }, app.store)
    : new Screen({ ...common, usesAltScreen, animates, notificationMethod }, app.store);
  const release = guard(app, {
    restore: () => options.isPlain || restoreTerminal(stdin, stdout),
    wake: () => screen?.wake(),
    // Without raw mode Ctrl+C is a signal.
    onCtrlC: options.isPlain ? () => press(app, ctrlC) : undefined,
  });
  try {
    screen.open({ onKey: drawn(screen, (key) => press(app, key)), onPaste: drawn(screen, (text) => paste(app, text)) });
    app.start().catch((error: unknown) => {
      app.store.note("error", errorMessage(error));
      options.report("cannot start", error);
      app.quit(1);
    });
    const code = await app.ended;
    await screen.close();
    printResumeHint(app.store);
    return code;
  } finally {
    release();
    unmute();
    app.client().close();
  }
}

/** The app is created before the screen, which shows the app's state. */
function stageOf(screen: () => Screen | PlainScreen | undefined, first: Theme, spoken: boolean): Stage {
  return {
    get theme() {
      return screen()?.theme ?? first;
    },
    switchTheme: (name) => screen()?.setTheme(themeOf(themeChoice(name), first.brightness, spoken)),
    get size() {
      return screen()?.size ?? { columns: 80, rows: 24 };
    },
    page: async (title, draw) => screen()?.page(title, draw),
    lend: async (use) => screen()?.lend(use),
    redraw: () => screen()?.redraw(),
    copy: (text) => screen()?.copy(text),
    notify: (text) => screen()?.notify(text),
  };
}

/** The effect of a key is drawn at once. */
function drawn<T>(screen: Pick<Screen, "drawNow">, use: (value: T) => void): (value: T) => void {
  return (value) => {
    use(value);
    screen.drawNow();
  };
}

/** The person's own choice comes before what the terminal says about itself. */
async function themeFor({ spoken }: TuiOptions, choice: ThemeChoice | undefined): Promise<Theme> {
  const { stdin, stdout, env } = process;
  const wanted = { brightness: brightnessWanted(env) ?? choice?.brightness, isAnsi: choice?.isAnsi === true };
  const known = wanted.brightness ?? brightnessOfTerminal(env);
  const asks = known === undefined && depthOf(stdout, env) !== 1 && !spoken;
  return themeOf(wanted, known ?? (asks ? await askBrightness(stdin, stdout) : undefined) ?? "dark", spoken);
}

function themeOf({ brightness, isAnsi }: ThemeChoice, otherwise: Brightness, spoken: boolean): Theme {
  const { stdout, env } = process;
  const most = depthOf(stdout, env);
  const depth = spoken ? 1 : isAnsi && most > 4 ? 4 : most;
  return createTheme({ brightness: brightness ?? otherwise, depth, ascii: isAscii(env, process.platform), spoken });
}

/** This many uncaught errors in this many milliseconds are tolerated: each may belong to one session or one key. More mean that nothing works. */
const survivable = { errors: 8, ms: 10_000 };

interface Guarded {
  readonly restore: () => void;
  readonly wake: () => void;
  readonly onCtrlC: (() => void) | undefined;
}
const ctrlC = { name: "text", text: "c", ctrl: true, alt: false, shift: false } as const;

/** Signals end the program in order. An uncaught error is shown and survived; a crash at least leaves a usable terminal and reports what happened. */
function guard(app: App, { restore, wake, onCtrlC }: Guarded): () => void {
  const signals = { SIGTERM: 143, SIGHUP: 129, SIGINT: 130 } as const;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (signal === "SIGINT" && onCtrlC !== undefined) onCtrlC();
    else app.quit(signals[signal as keyof typeof signals] ?? 1);
  };
  let recent: number[] = [];
  const onError = (error: unknown): void => {
    if (isGone(error)) process.exit(signals.SIGHUP);
    const now = performance.now();
    recent = [...recent.filter((at) => now - at < survivable.ms), now];
    if (recent.length > survivable.errors) return crash(error);
    try {
      app.options.report("uncaught error", error);
      app.store.note("error", `An internal error was caught; what it belonged to may be incomplete: ${cleanLine(errorMessage(error))}`);
    } catch (worse) {
      crash(worse);
    }
  };
  const crash = (error: unknown): void => {
    restore();
    process.stdout.write(`\nparley: ${clean(errorStack(error))}\n`);
    app.options.report("crashed", error);
    process.exit(1);
  };
  const onExit = (): void => restore();
  const onStop = (): void => app.run(() => app.stopProcess());
  process.on("SIGTSTP", onStop);
  process.on("SIGCONT", wake);
  for (const signal of Object.keys(signals) as NodeJS.Signals[]) process.on(signal, onSignal);
  process.on("uncaughtException", onError);
  process.on("unhandledRejection", onError);
  process.on("exit", onExit);
  return () => {
    process.off("SIGTSTP", onStop);
    process.off("SIGCONT", wake);
    for (const signal of Object.keys(signals) as NodeJS.Signals[]) process.off(signal, onSignal);
    process.off("uncaughtException", onError);
    process.off("unhandledRejection", onError);
    process.off("exit", onExit);
  };
}

/** The terminal was closed: there is nobody left to write to. */
const isGone = (error: unknown): boolean => isCode(error, "EIO", "EPIPE");

function printResumeHint({ conversation }: Store): void {
  const { threadId, usage } = conversation;
  if (threadId === undefined) return;
  const tokens = usage === undefined ? "" : `${usage.total.totalTokens.toLocaleString("en")} tokens used.\n`;
  process.stdout.write(`${tokens}Go on with: parley resume ${cleanLine(threadId)}\n`);
}
