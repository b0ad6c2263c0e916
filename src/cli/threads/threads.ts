/** `parley threads`: the stored threads for people and scripts: lists, transcripts, exports and maintenance. */
import { readdirSync } from "node:fs";
import type { Client } from "../../client/client.ts";
import { errorMessage } from "../../lib/error-text.ts";
import { findLstat } from "../../lib/file-status.ts";
import { connectInProcess } from "../../main/in-process.ts";
import { RpcError } from "../../protocol/errors.ts";
import { type App, openApp } from "../own-app.ts";
import {
  codexHome,
  type Values as FlagValues,
  type Globals,
  readFlags,
  StartError,
  toStderr,
  UsageError,
  unknownSubcommand,
} from "../usage.ts";
import { version } from "../version.ts";
import { help } from "./help.ts";

/** What a subcommand gets. */
export interface Context {
  readonly app: App;
  readonly client: Client;
}

const flags = help.commands;
type Name = keyof typeof flags;
export type Values<N extends Name> = FlagValues<(typeof flags)[N]>;

const actions: { readonly [N in Name]: (context: Context, args: readonly string[], values: Values<N>) => Promise<number> } = {
  list: async (...given) => (await import("./list.ts")).list(...given),
  search: async (...given) => (await import("./list.ts")).search(...given),
  usage: async (...given) => (await import("./list.ts")).usage(...given),
  show: async (...given) => (await import("./export.ts")).show(...given),
  export: async (...given) => (await import("./export.ts")).exportThread(...given),
  archive: async (...given) => (await import("./change.ts")).archive(...given),
  delete: async (...given) => (await import("./change.ts")).remove(...given),
  repair: async (...given) => (await import("./change.ts")).repair(...given),
};

export async function run(args: readonly string[], globals: Globals): Promise<number> {
  const [subcommand, ...rest] = args;
  if (subcommand === undefined || subcommand === "help") return (await import("../help/help.ts")).run(["threads", ...rest]);
  const name = Object.keys(flags).find((known): known is Name => known === subcommand);
  if (name === undefined) throw unknownSubcommand(subcommand, Object.keys(flags));
  return act(name, rest, globals);
}

/** The same under the names that Codex gives them. */
const named =
  (...leading: readonly string[]) =>
  (args: readonly string[], globals: Globals): Promise<number> =>
    run([...leading, ...args], globals);
export const archive = named("archive");
export const unarchive = named("archive", "--undo");
export const remove = named("delete");

/** In a home that cannot be read there would seem to be no threads. */
function refuseUnreadable(home: string): void {
  try {
    if (findLstat(home) !== undefined) readdirSync(home);
  } catch (error) {
    throw new StartError(`cannot read ${home}: ${errorMessage(error)}. Set CODEX_HOME to a folder of your own`);
  }
}

async function act<N extends Name>(name: N, args: readonly string[], globals: Globals): Promise<number> {
  const { values, positionals } = readFlags(args, flags[name]);
  const { config }: { config?: string[] } = values; // every one of them accepts it
  refuseUnreadable(codexHome());
  const app = openApp(globals, { config });
  app.store.onNotice = (message) => toStderr(`note: ${message}`);
  try {
    const client = await connectInProcess(app, { clientInfo: { name: "parley_threads", title: "Parley threads", version } });
    return await actions[name]({ app, client }, positionals, values);
  } catch (error) {
    if (error instanceof RpcError) throw new StartError(error.message);
    throw error;
  } finally {
    await app.close();
  }
}

/** An integer value of a flag. */
export function numberFrom(flag: string, text: string | undefined, standard: number): number {
  if (text === undefined) return standard;
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`invalid value '${text}' for '--${flag}': expected a whole number`);
  return Number(text);
}
