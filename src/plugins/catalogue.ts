/** A marketplace: a folder with a catalogue of plugins in it. */
import path from "node:path";
import { errorMessage } from "../lib/error-text.ts";
import { isRecord } from "../lib/is-record.ts";
import type { PluginAuthPolicy, PluginInstallPolicy, PluginInterface, PluginSource } from "../protocol/plugin.ts";
import { marketplaceProblem, nameProblem, PluginProblem, shown } from "./id.ts";
import { findManifest, kindOf, type Manifest, manifestFrom, readJson, readManifest, textAt } from "./manifest.ts";
import { pluginSource } from "./sources.ts";

export interface Catalogue {
  readonly name: string;
  readonly file: string;
  readonly displayName: string | undefined;
  readonly plugins: readonly Offer[];
  /** Entries that cannot be used, each with the reason. */
  readonly leftOut: readonly string[];
}

/** One plugin that a catalogue offers. */
export interface Offer {
  readonly name: string;
  readonly source: PluginSource;
  readonly installPolicy: PluginInstallPolicy;
  readonly authPolicy: PluginAuthPolicy;
  readonly category: string | undefined;
  /** The manifest from its own folder, or the catalogue's entry in its place. */
  readonly manifest: Manifest | undefined;
  /** The catalogue's entry, where its folder has no manifest. */
  readonly described: Readonly<Record<string, unknown>> | undefined;
}

const places = [
  path.join(".agents", "plugins", "marketplace.json"),
  path.join(".agents", "plugins", "api_marketplace.json"),
  path.join(".claude-plugin", "marketplace.json"),
  path.join(".cursor-plugin", "marketplace.json"),
];
const maxPlugins = 2000;

/** The catalogue's file in a folder; undefined where there is none. */
export const findCatalogue = (root: string): string | undefined =>
  places.map((place) => path.join(root, place)).find((file) => kindOf(file) === "file");

/** The root folder of a catalogue's file; undefined when the file is in a wrong location. */
export function rootOfCatalogue(file: string): string | undefined {
  const place = places.find((candidate) => file.endsWith(`${path.sep}${candidate}`));
  return place === undefined ? undefined : file.slice(0, -place.length - 1) || path.parse(file).root;
}

/** Throws PluginProblem. */
export function readCatalogue(file: string): Catalogue {
  if (kindOf(file) === undefined) throw new PluginProblem(`marketplace file \`${file}\` does not exist`);
  const root = rootOfCatalogue(file);
  const invalid = (message: string): PluginProblem => new PluginProblem(`invalid marketplace file \`${file}\`: ${message}`);
  if (root === undefined) throw invalid("marketplace file is not in a supported location");
  const value = readJson(file);
  const name = isRecord(value) ? textAt(value, "name") : undefined;
  const given = isRecord(value) ? value["plugins"] : undefined;
  if (!isRecord(value) || name === undefined || !Array.isArray(given)) throw invalid("expected an object with `name` and `plugins`");
  const wrong = marketplaceProblem(name);
  if (wrong !== undefined) throw invalid(wrong);
  const plugins: Offer[] = [];
  const leftOut = given.length > maxPlugins ? [`only the first ${maxPlugins} plugins count`] : [];
  for (const entry of given.slice(0, maxPlugins))
    try {
      plugins.push(offerFrom(entry, { root, file }));
    } catch (error) {
      const called = isRecord(entry) ? shown(textAt(entry, "name") ?? "") : "";
      leftOut.push(`${called}: ${errorMessage(error)}`);
    }
  const face = isRecord(value["interface"]) ? value["interface"] : {};
  return { name, file, displayName: textAt(face, "displayName"), plugins, leftOut };
}

/** The catalogue of a folder. Throws PluginProblem. */
export function catalogueIn(root: string): Catalogue {
  const file = findCatalogue(root);
  if (file === undefined)
    throw new PluginProblem(`invalid marketplace file \`${root}\`: marketplace root does not contain a supported manifest`);
  return readCatalogue(file);
}

const ofCatalogue = new Set(["name", "source", "policy", "category"]);

function offerFrom(entry: unknown, place: { readonly root: string; readonly file: string }): Offer {
  const name = isRecord(entry) ? textAt(entry, "name") : undefined;
  if (!isRecord(entry) || name === undefined) throw new PluginProblem("an entry has no name");
  const wrong = nameProblem(name);
  if (wrong !== undefined) throw new PluginProblem(wrong);
  const source = pluginSource(entry["source"], place);
  const policy = isRecord(entry["policy"]) ? entry["policy"] : {};
  const more = Object.entries(entry).filter(([key]) => !ofCatalogue.has(key));
  const described = more.length === 0 ? undefined : { name, ...Object.fromEntries(more) };
  const products = policy["products"];
  const isForUs = !Array.isArray(products) || products.some((product) => String(product).toUpperCase() === "CODEX");
  return {
    ...{ name, source, described, category: textAt(entry, "category") },
    installPolicy: isForUs ? (installPolicies.find((known) => known === policy["installation"]) ?? "AVAILABLE") : "NOT_AVAILABLE",
    authPolicy: policy["authentication"] === "ON_USE" ? "ON_USE" : "ON_INSTALL",
    manifest: manifestOf(source, described, place.file),
  };
}

const installPolicies = ["NOT_AVAILABLE", "AVAILABLE", "INSTALLED_BY_DEFAULT"] as const;

/** A plugin with an unreadable manifest is still offered; installing it reports the problem. */
function manifestOf(source: PluginSource, described: Offer["described"], file: string): Manifest | undefined {
  try {
    if (source.type === "local" && findManifest(source.path) !== undefined) return readManifest(source.path);
    return described === undefined ? undefined : manifestFrom(source.type === "local" ? source.path : "/", file, described);
  } catch {
    return undefined;
  }
}

/** As lists show it: the catalogue's category takes precedence over the plugin's own. */
export function faceOf(manifest: Manifest | undefined, category: string | undefined): PluginInterface | null {
  const face = manifest?.interface ?? null;
  if (category === undefined) return face;
  return { ...(face ?? nothingShown), category };
}

const nothingShown: PluginInterface = {
  ...{ displayName: null, shortDescription: null, longDescription: null, developerName: null, category: null, capabilities: [] },
  ...{ websiteUrl: null, privacyPolicyUrl: null, termsOfServiceUrl: null, defaultPrompt: null, brandColor: null, composerIcon: null },
  ...{ composerIconUrl: null, logo: null, logoDark: null, logoUrl: null, logoUrlDark: null, screenshots: [], screenshotUrls: [] },
};
