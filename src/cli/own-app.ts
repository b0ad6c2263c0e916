/** The app as subcommands open it: with the log, and with the command line's overrides of the settings. */
import { type ComposeOptions, createApp } from "../main/compose.ts";
import { type LogLevel, logLevels, openLog } from "../main/log.ts";
import { surviveErrors } from "../main/survive.ts";
import { RpcError } from "../protocol/errors.ts";
import type { AgentFlags } from "./agent-flags.ts";
import { codexHome, type Globals, oneOf, StartError } from "./usage.ts";

export type App = ReturnType<typeof createApp>;
export type Config = ReturnType<App["config"]["effective"]>;
export type SandboxState = Awaited<ReturnType<App["runner"]["sandbox"]>>;

/** `overrides` have lower precedence than the command line. */
export interface AppOptions
  extends Pick<ComposeOptions, "compat" | "ignore" | "flagsAreRequests" | "takesCodexKey" | "trustHooks" | "storage" | "system"> {
  readonly overrides?: readonly string[];
}

/** Throws StartError for an invalid `-c`. */
export function openApp(globals: Globals, flags: AgentFlags, options: AppOptions = {}): App {
  const home = codexHome();
  const opened: { app?: App } = {};
  const log = logFrom(globals, flags, () => logFolderOf(opened.app));
  const { overrides = [], ...others } = options;
  const cliOverrides = [...globals.config, ...overrides, ...overridesFrom(flags)];
  try {
    opened.app = createApp({ ...others, codexHome: home, log, cliOverrides });
    return opened.app;
  } catch (error) {
    if (error instanceof RpcError) throw new StartError(error.message);
    throw error;
  }
}

/** For front ends where no person would recognize the offline tour as such. */
export function requireModel({ config, chooseModel, whyNoModel }: App, cwd: string, model?: string): void {
  const effective = config.effective(cwd);
  const provider = model === undefined ? effective.modelProvider : chooseModel(effective, model, undefined).provider;
  const why = whyNoModel(effective, provider);
  if (why !== undefined) throw new StartError(why);
}

/** For processes with many clients: an uncaught error ends no session, is logged, and every client is notified. */
export function surviveWith(app: App): void {
  surviveErrors({ log: app.log, notify: notifierOf(app) });
}

/** Notifies every client of the app. */
export const notifierOf =
  ({ subscriptions }: App) =>
  (message: string): void =>
    subscriptions.toAll("warning", { message, threadId: null });

/** The log as configured by the command line and the environment. */
export function logFrom(globals: Globals, flags: Pick<AgentFlags, "log-level">, folder: () => string | undefined = () => undefined) {
  const levelName = flags["log-level"] ?? globals.logLevel;
  const level = levelName === undefined ? undefined : oneOf<LogLevel>("log-level", levelName, logLevels);
  return openLog({ home: codexHome(), env: process.env, level, folder });
}

/** `-c`, `--enable` and `--disable` as `key=value`. */
export function overridesFrom(flags: AgentFlags): string[] {
  return [
    ...(flags.enable ?? []).map((name) => `features.${name}=true`),
    ...(flags.disable ?? []).map((name) => `features.${name}=false`),
    ...(flags.config ?? []),
  ];
}

/** `log_dir`, if set; settings that cannot be read must not keep the reason out of the log. */
export function logFolderOf(app: App | undefined): string | undefined {
  try {
    const folder = app?.config.effective(process.cwd()).raw["log_dir"];
    return typeof folder === "string" && folder !== "" ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** For subcommands that inspect or change what the server would use, and then exit. Errors of the app become the command's own. */
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
