/** The app as subcommands open it: with the log, and with what the command line says over the settings. */
import { type ComposeOptions, createApp } from "../main/compose.ts";
import { type LogLevel, logLevels, openLog } from "../main/log.ts";
import { surviveErrors } from "../main/survive.ts";
import { RpcError } from "../protocol/errors.ts";
import type { AgentFlags } from "./agent-flags.ts";
import { codexHome, type Globals, oneOf, StartError } from "./usage.ts";

export type App = ReturnType<typeof createApp>;
export type Config = ReturnType<App["config"]["effective"]>;
export type SandboxState = Awaited<ReturnType<App["runner"]["sandbox"]>>;

/** `overrides` are weaker than what stands on the command line. */
export interface AppOptions extends Pick<ComposeOptions, "compat" | "ignore" | "flagsAreRequests" | "takesCodexKey" | "trustHooks"> {
  readonly overrides?: readonly string[];
}

/** Throws StartError for a `-c` that cannot be read. */
export function openApp(globals: Globals, flags: AgentFlags, options: AppOptions = {}): App {
  const home = codexHome();
  const opened: { app?: App } = {};
  const log = logFrom(globals, flags, () => logFolderOf(opened.app));
  const { compat, ignore, flagsAreRequests, takesCodexKey, trustHooks, overrides = [] } = options;
  const cliOverrides = [...globals.config, ...overrides, ...overridesFrom(flags)];
  try {
    opened.app = createApp({ codexHome: home, log, compat, ignore, cliOverrides, flagsAreRequests, takesCodexKey, trustHooks });
    return opened.app;
  } catch (error) {
    if (error instanceof RpcError) throw new StartError(error.message);
    throw error;
  }
}

/** For doors behind which no person would know the offline tour for what it is. */
export function requireModel({ config, whyNoModel }: App, cwd: string): void {
  const effective = config.effective(cwd);
  const why = whyNoModel(effective, effective.modelProvider);
  if (why !== undefined) throw new StartError(why);
}

/** For processes that serve many: an uncaught error ends no session, is logged, and every client is notified. */
export function surviveWith(app: App): void {
  surviveErrors({ log: app.log, tell: tellerOf(app) });
}

/** Tells every client of the app. */
export const tellerOf =
  ({ subscriptions }: App) =>
  (message: string): void =>
    subscriptions.toAll("warning", { message, threadId: null });

/** The log as the command line and the environment want it. */
export function logFrom(globals: Globals, flags: Pick<AgentFlags, "log-level">, folder: () => string | undefined = () => undefined) {
  const word = flags["log-level"] ?? globals.logLevel;
  const level = word === undefined ? undefined : oneOf<LogLevel>("log-level", word, logLevels);
  return openLog({ home: codexHome(), env: process.env, level, folder });
}

/** What `-c`, `--enable` and `--disable` say, as `key=value`. */
export function overridesFrom(flags: AgentFlags): string[] {
  return [
    ...(flags.enable ?? []).map((name) => `features.${name}=true`),
    ...(flags.disable ?? []).map((name) => `features.${name}=false`),
    ...(flags.config ?? []),
  ];
}

/** `log_dir`, where it is set; settings that cannot be read must not keep the reason out of the log. */
export function logFolderOf(app: App | undefined): string | undefined {
  try {
    const folder = app?.config.effective(process.cwd()).raw["log_dir"];
    return typeof folder === "string" && folder !== "" ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** For subcommands that look at or change what the server would use, and then end. Refusals of the app become the command's own. */
export async function withApp<T>(globals: Globals, overrides: readonly string[], use: (app: App) => Promise<T>): Promise<T> {
  let app: App | undefined;
  try {
    app = openApp(globals, {}, { overrides });
    return await use(app);
  } catch (error) {
    if (error instanceof RpcError) throw new StartError(error.message);
    throw error;
  } finally {
    await app?.close();
  }
}
