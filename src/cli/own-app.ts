/** An app for subcommands that look at or change what the server would use, and then end. */
import { createApp } from "../main/compose.ts";
import { createLog } from "../main/log.ts";
import { RpcError } from "../protocol/errors.ts";
import { codexHome, type Globals, StartError } from "./usage.ts";

export type App = ReturnType<typeof createApp>;
export type Config = ReturnType<App["config"]["effective"]>;

/** Refusals of the app become the command's own: a sentence and exit code 1. */
export async function withApp<T>(globals: Globals, overrides: readonly string[], use: (app: App) => Promise<T>): Promise<T> {
  let app: App | undefined;
  try {
    app = createApp({ codexHome: codexHome(), log: createLog("error", Date.now), cliOverrides: [...globals.config, ...overrides] });
    return await use(app);
  } catch (error) {
    if (error instanceof RpcError) throw new StartError(error.message);
    throw error;
  } finally {
    await app?.close();
  }
}
