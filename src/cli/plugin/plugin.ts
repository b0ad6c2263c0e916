/** `parley plugin`: plugins and marketplaces, with the texts and the JSON of Codex's command. */
import type { PluginSource, PluginSummary } from "../../protocol/plugin.ts";
import { type App, overridesFrom, withApp } from "../own-app.ts";
import { type Globals, print, printJson, readFlags, refuseMore, StartError, toStderr, UsageError, unknownSubcommand } from "../usage.ts";
import { help } from "./help.ts";

type Action = (app: App, args: readonly string[]) => Promise<number> | number;

const { add: adding, list: listing, remove: removing, accept: accepting, marketplace: ofMarketplaces } = help.commands;
const ofMarketplace = ofMarketplaces.commands;

/** By name of the command. */
const takenBy = {
  add: adding,
  list: listing,
  remove: removing,
  accept: accepting,
  "marketplace add": ofMarketplace.add,
  "marketplace list": ofMarketplace.list,
  "marketplace upgrade": ofMarketplace.upgrade,
  "marketplace remove": ofMarketplace.remove,
} as const;

const actions: Readonly<Record<keyof typeof takenBy, Action>> = {
  add,
  list,
  remove,
  accept,
  "marketplace add": addMarketplace,
  "marketplace list": listMarketplaces,
  "marketplace upgrade": upgrade,
  "marketplace remove": removeMarketplace,
};

export async function run(args: readonly string[], globals: Globals): Promise<number> {
  const names = args[0] === "marketplace" ? args.slice(0, 2) : args.slice(0, 1);
  const rest = args.slice(names.length);
  if (args.length === 0 || names.at(-1) === "help" || (names[0] === "marketplace" && names.length === 1))
    return (await import("../help/help.ts")).run(["plugin", ...names.filter((name) => name !== "help"), ...rest]);
  const name = (Object.keys(takenBy) as (keyof typeof takenBy)[]).find((known) => known === names.join(" "));
  if (name === undefined) {
    const known = Object.keys(takenBy).map((known) => known.split(" "));
    const beside = known
      .filter((parts) => (names[0] === "marketplace" ? parts.length === 2 : true))
      .map((parts) => parts[names.length - 1] ?? "");
    throw unknownSubcommand(names.at(-1) ?? "", [...new Set(beside)]);
  }
  const { values } = readFlags(rest, takenBy[name]);
  return withApp(globals, overridesFrom(values), async (app) => await actions[name](app, rest));
}

/** The plugin that the argument names: its name and its marketplace. */
function selected(args: readonly string[]): { plugin: string; marketplace: string; id: string; json: boolean } {
  const { values, positionals } = readFlags(args, adding);
  refuseMore(positionals, 1);
  const [id] = positionals;
  if (id === undefined) throw new UsageError("the name of the plugin is missing: <PLUGIN>@<MARKETPLACE>");
  const cut = id.lastIndexOf("@");
  const [plugin, own] = cut < 0 ? [id, undefined] : [id.slice(0, cut), id.slice(cut + 1)];
  if (own !== undefined && values.marketplace !== undefined && own !== values.marketplace)
    throw new UsageError(`plugin id \`${id}\` belongs to marketplace \`${own}\`, but --marketplace specified \`${values.marketplace}\``);
  const marketplace = own ?? values.marketplace;
  if (marketplace === undefined) throw new StartError("plugin requires --marketplace unless passed as <plugin>@<marketplace>");
  return { plugin, marketplace, id: `${plugin}@${marketplace}`, json: values.json === true };
}

async function add(app: App, args: readonly string[]): Promise<number> {
  const { plugin, marketplace, json } = selected(args);
  const { marketplaces } = app.plugins.list([]);
  const found = marketplaces.find(({ name, plugins }) => name === marketplace && plugins.some((offer) => offer.name === plugin));
  if (typeof found?.path !== "string") throw new StartError(`plugin \`${plugin}\` was not found in marketplace \`${marketplace}\``);
  const { id, version, folder, authPolicy, leftOut } = await app.plugins.install(found.path, plugin);
  for (const left of leftOut) toStderr(`Not installed, since it is not a regular file: ${left}`);
  if (json) return printJson({ pluginId: id, name: plugin, marketplaceName: marketplace, version, installedPath: folder, authPolicy });
  return print(`Added plugin \`${plugin}\` from marketplace \`${marketplace}\`.\nInstalled plugin root: ${folder}\n`);
}

function list(app: App, args: readonly string[]): number {
  const { values, positionals } = readFlags(args, listing);
  refuseMore(positionals);
  if (values.available === true && values.json !== true) throw new UsageError("--available needs --json");
  const { marketplaces, errors } = app.plugins.list([]);
  for (const { message } of errors) toStderr(message);
  const shown = marketplaces.filter(({ name }) => values.marketplace === undefined || name === values.marketplace);
  if (values.json === true) {
    const sources = new Map(app.plugins.marketplaces().map(({ name, sourceType, source }) => [name, { sourceType, source }]));
    const entries = shown.flatMap(({ name, plugins }) => plugins.map((plugin) => entryOf(app, plugin, name, sources.get(name))));
    const available = values.available === true ? entries.filter(({ installed }) => !installed) : [];
    return printJson({ installed: entries.filter(({ installed }) => installed), available });
  }
  if (shown.length === 0)
    return print(
      values.marketplace === undefined ? "No marketplace plugins found.\n" : `No plugins found in marketplace \`${values.marketplace}\`.\n`,
    );
  const blocks = shown.map(({ name, path, plugins }) => {
    const rows = plugins.map((plugin) => [plugin.id, stateOf(plugin), app.plugins.version(plugin.id) ?? "", sourceText(plugin.source)]);
    return `Marketplace \`${name}\`\n${path ?? ""}\n\n${table([["PLUGIN", "STATUS", "VERSION", "SOURCE"], ...rows])}`;
  });
  return print(blocks.join("\n"));
}

const stateOf = ({ installed, enabled }: PluginSummary): string =>
  installed ? (enabled ? "installed, enabled" : "installed, disabled") : "not installed";

function entryOf(app: App, plugin: PluginSummary, marketplaceName: string, marketplaceSource: object | undefined) {
  const version = app.plugins.version(plugin.id) ?? plugin.localVersion ?? null;
  return {
    ...{ pluginId: plugin.id, name: plugin.name, marketplaceName, version, installed: plugin.installed, enabled: plugin.enabled },
    source: sourceEntry(plugin.source),
    ...(marketplaceSource === undefined ? {} : { marketplaceSource }),
    ...{ installPolicy: plugin.installPolicy, authPolicy: plugin.authPolicy },
  };
}

function sourceEntry(source: PluginSource): object {
  if (source.type === "local") return { source: "local", path: source.path };
  if (source.type === "git")
    return { source: "git", url: source.url, ...known({ path: source.path, ref: source.refName, sha: source.sha }) };
  return source.type === "npm"
    ? { source: "npm", package: source.package, ...known({ version: source.version, registry: source.registry }) }
    : { source: "remote" };
}
const known = (fields: Readonly<Record<string, string | null | undefined>>): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === "string"));

function sourceText(source: PluginSource): string {
  if (source.type === "remote") return "remote";
  const { type: _, ...fields } = source;
  const [first, ...more] = Object.entries(fields).filter(([, value]) => typeof value === "string");
  return [first?.[1] ?? "", ...more.map(([key, value]) => `${key === "refName" ? "ref" : key} \`${value}\``)].join(", ");
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

function remove(app: App, args: readonly string[]): number {
  const { plugin, marketplace, id, json } = selected(args);
  app.plugins.uninstall(id);
  if (json) return printJson({ pluginId: id, name: plugin, marketplaceName: marketplace });
  return print(`Removed plugin \`${plugin}\` from marketplace \`${marketplace}\`.\n`);
}

function accept(app: App, args: readonly string[]): number {
  const { plugin, marketplace, id, json } = selected(args);
  app.plugins.accept(id);
  if (json) return printJson({ pluginId: id, name: plugin, marketplaceName: marketplace, version: app.plugins.version(id) ?? null });
  return print(`Accepted plugin \`${plugin}\` from marketplace \`${marketplace}\` as it is now. It counts from the next turn on.\n`);
}

async function addMarketplace(app: App, args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, ofMarketplace.add);
  refuseMore(positionals, 1);
  const [source] = positionals;
  if (source === undefined) throw new UsageError("the marketplace's source is missing: a folder, owner/repo or a repository's address");
  const outcome = await app.plugins.addMarketplace({ source, refName: values.ref ?? null, sparsePaths: values.sparse ?? null });
  if (values.json === true) return printJson(outcome);
  const { marketplaceName: name, alreadyAdded, installedRoot } = outcome;
  const from = app.plugins.marketplaces().find((entry) => entry.name === name)?.source ?? source;
  const line = alreadyAdded ? `Marketplace \`${name}\` is already added from ${from}.` : `Added marketplace \`${name}\` from ${from}.`;
  return print(`${line}\nInstalled marketplace root: ${installedRoot}\n`);
}

function listMarketplaces(app: App, args: readonly string[]): number {
  const { values, positionals } = readFlags(args, ofMarketplace.list);
  refuseMore(positionals);
  const found = app.plugins.marketplaces();
  if (values.json === true)
    return printJson({
      marketplaces: found.map(({ name, root, sourceType, source }) => ({ name, root, marketplaceSource: { sourceType, source } })),
    });
  if (found.length === 0) return print("No plugin marketplaces in scope.\n");
  return print(table([["MARKETPLACE", "ROOT"], ...found.map(({ name, root }) => [name, root])]));
}

async function upgrade(app: App, args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, ofMarketplace.upgrade);
  refuseMore(positionals, 1);
  const outcome = await app.plugins.upgradeMarketplaces(positionals[0]);
  for (const { marketplaceName, message } of outcome.errors) toStderr(`${marketplaceName}: ${message}`);
  const code = outcome.errors.length === 0 ? 0 : 1;
  if (values.json === true) return printJson(outcome) || code;
  const { selectedMarketplaces: chosen, upgradedRoots } = outcome;
  const nothing =
    chosen.length === 0 ? "No configured Git marketplaces to upgrade." : "All configured Git marketplaces are already up to date.";
  const lines = upgradedRoots.map((root) => `Upgraded marketplace at ${root}`);
  return print(`${lines.length > 0 ? lines.join("\n") : code === 0 ? nothing : "Nothing was upgraded."}\n`) || code;
}

function removeMarketplace(app: App, args: readonly string[]): number {
  const { values, positionals } = readFlags(args, ofMarketplace.remove);
  refuseMore(positionals, 1);
  const [name] = positionals;
  if (name === undefined) throw new UsageError("the name of the marketplace is missing");
  const outcome = app.plugins.removeMarketplace(name);
  if (values.json === true) return printJson(outcome);
  return print(`Removed marketplace \`${name}\`.\n`);
}
