/** `parley features`: lists the feature flags and switches them on and off in config.toml. */
import { setFeature } from "../main/features.ts";
import { featuresHelp } from "./help/settings-helps.ts";
import { type App, overridesFrom, withApp } from "./own-app.ts";
import { type Globals, print, printJson, readFlags, refuseMore, StartError, UsageError, unknownSubcommand } from "./usage.ts";

const { commands } = featuresHelp;
type Name = keyof typeof commands;

export async function run(args: readonly string[], globals: Globals): Promise<number> {
  const [subcommand, ...rest] = args;
  if (subcommand === undefined || subcommand === "help") return (await import("./help/help.ts")).run(["features", ...rest]);
  const name = Object.keys(commands).find((known): known is Name => known === subcommand);
  if (name === undefined) throw unknownSubcommand(subcommand, Object.keys(commands));
  if (name === "list") {
    const { values, positionals } = readFlags(rest, commands.list);
    refuseMore(positionals);
    return withApp(globals, overridesFrom(values), async (app) => list(app, values.json === true));
  }
  const { values, positionals } = readFlags(rest, commands[name]);
  refuseMore(positionals, 1);
  const [feature] = positionals;
  if (feature === undefined) throw new UsageError(`the feature is missing: parley features ${name} <FEATURE>`);
  return withApp(globals, overridesFrom(values), async (app) => change(app, feature, name === "enable"));
}

/** Other programs read it: name, stage and state in columns of fixed width. */
function list(app: App, asJson: boolean): number {
  const rows = app.config.features(process.cwd()).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (asJson) return printJson(rows.map(({ name, stage, enabled }) => ({ name, stage, enabled })));
  const widest = Math.max(...rows.map(({ name }) => name.length));
  return print(rows.map(({ name, stage, enabled }) => `${name.padEnd(widest + 2)}${stageNames[stage].padEnd(19)}${enabled}\n`).join(""));
}

const stageNames = {
  underDevelopment: "under development",
  beta: "experimental",
  stable: "stable",
  deprecated: "deprecated",
  removed: "removed",
} as const;

function change(app: App, feature: string, enabled: boolean): number {
  if (!setFeature(app, feature, enabled))
    throw new StartError(`Unknown feature flag: ${feature}; \`parley features list\` shows those of this server`);
  return print(`${enabled ? "Enabled" : "Disabled"} feature \`${feature}\` in config.toml.\n`);
}
