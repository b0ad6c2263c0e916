/** Moves the plugins that another agent has enabled in: from their marketplaces, switched off until the user trusts them. */
import path from "node:path";
import type { Plugins } from "../core/ports/plugins.ts";
import { isRecord } from "../lib/is-record.ts";
import { readSettings } from "./foreign-files.ts";
import type { OwnSettings, Part } from "./parts.ts";
import type { Place } from "./places.ts";

export type PluginInstaller = Pick<Plugins, "addMarketplace" | "install" | "list">;

interface Wanted {
  readonly name: string;
  readonly marketplace: string;
  readonly source: string;
  readonly ref: string | undefined;
}

const most = 100;

export function pluginsPart(plugins: PluginInstaller): Part {
  return {
    type: "PLUGINS",
    find(place, own) {
      const found = newPlugins(place, own);
      if (found.length === 0) return undefined;
      const names = Map.groupBy(found, ({ marketplace }) => marketplace);
      const listed = [...names].map(([marketplaceName, group]) => ({ marketplaceName, pluginNames: group.map(({ name }) => name) }));
      const none = { skills: [], sessions: [], mcpServers: [], hooks: [], subagents: [], commands: [] };
      return {
        description: `Migrate enabled plugins from ${path.join(place.source, "settings.json")}`,
        details: { ...none, plugins: listed },
      };
    },
    async move(place, own, each) {
      for (const wanted of newPlugins(place, own)) {
        const id = `${wanted.name}@${wanted.marketplace}`;
        await each(id, async () => {
          await install(plugins, wanted, own);
          return { source: id, target: id, title: "switched off: set enabled = true once you trust it" };
        });
      }
    },
  };
}

async function install(plugins: PluginInstaller, { name, marketplace, source, ref }: Wanted, own: OwnSettings): Promise<void> {
  const { marketplaceName } = await plugins.addMarketplace({ source, refName: ref ?? null });
  if (marketplaceName !== marketplace) throw new Error(`the marketplace at ${source} is called ${marketplaceName}, not ${marketplace}`);
  const catalogue = plugins.list([]).marketplaces.find((other) => other.name === marketplace)?.path;
  if (catalogue == null) throw new Error(`the marketplace ${marketplace} cannot be read`);
  await plugins.install(catalogue, name);
  own.write([{ keyPath: `plugins.${JSON.stringify(`${name}@${marketplace}`)}.enabled`, value: false, mergeStrategy: "replace" }]);
}

/** Enabled there, unknown here, from a marketplace whose source is known. */
function newPlugins({ cwd, source }: Place, own: OwnSettings): readonly Wanted[] {
  if (cwd !== null) return [];
  const { enabledPlugins, extraKnownMarketplaces } = readSettings(path.join(source, "settings.json"));
  if (!isRecord(enabledPlugins)) return [];
  const known = {
    ...readSettings(path.join(source, "plugins/known_marketplaces.json")),
    ...(isRecord(extraKnownMarketplaces) ? extraKnownMarketplaces : {}),
  };
  return Object.entries(enabledPlugins)
    .slice(0, most)
    .flatMap(([id, isEnabled]): Wanted[] => {
      const [, name, marketplace] = /^([\w.-]{1,64})@([\w.-]{1,64})$/.exec(id) ?? [];
      if (isEnabled !== true || name === undefined || marketplace === undefined || own.has(["plugins", id])) return [];
      const from = Object.hasOwn(known, marketplace) ? sourceOf(known[marketplace]) : undefined;
      return from === undefined ? [] : [{ name, marketplace, ...from }];
    });
}

function sourceOf(entry: unknown): Pick<Wanted, "source" | "ref"> | undefined {
  const from = isRecord(entry) && isRecord(entry["source"]) ? entry["source"] : {};
  const { source: kind, path: folder, repo, url, ref } = from;
  const place = kind === "directory" ? folder : kind === "github" ? repo : kind === "git" ? url : undefined;
  if (typeof place !== "string" || place === "" || place.length > 2000) return undefined;
  return { source: place, ref: typeof ref === "string" ? ref : undefined };
}
