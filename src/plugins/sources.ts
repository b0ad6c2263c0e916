/** Sources of marketplaces and plugins: addresses from people and catalogues, parsed strictly because they are passed to git. */
import { homedir } from "node:os";
import path from "node:path";
import { isRecord } from "../lib/is-record.ts";
import type { PluginSource } from "../protocol/plugin.ts";
import { PluginProblem, shown } from "./id.ts";
import { textAt } from "./manifest.ts";

export type MarketplaceSource =
  | { readonly type: "local"; readonly path: string }
  | { readonly type: "git"; readonly url: string; readonly ref: string | undefined };

/** A source entered by a person: a folder, `owner/repo`, or a repository's address, the last two with `#ref` or `@ref`. Throws PluginProblem. */
export function marketplaceSource(given: string, ref: string | undefined): MarketplaceSource {
  const source = given.trim();
  if (source === "") throw new PluginProblem("marketplace source must not be empty");
  const [base, own] = splitRef(source);
  const chosen = ref ?? own;
  if (isFolder(base)) {
    if (chosen !== undefined) throw new PluginProblem("--ref is only supported for git marketplace sources");
    return { type: "local", path: path.resolve(base.startsWith("~/") ? path.join(homedir(), base.slice(2)) : base) };
  }
  const url = /^(?:https?:\/\/|ssh:\/\/|git@[^:]+:)/.test(base) ? base.replace(/\/+$/, "") : shorthand(base);
  if (url === undefined)
    throw new PluginProblem("invalid marketplace source format; expected owner/repo, a git URL, or a local marketplace path");
  return { type: "git", url: checkedUrl(withGit(url)), ref: chosen === undefined ? undefined : checkedRef(chosen) };
}

const isFolder = (source: string): boolean =>
  path.isAbsolute(source) || source === "." || source === ".." || /^(?:\.{1,2}[/\\]|~\/)/.test(source);

function splitRef(source: string): [base: string, ref: string | undefined] {
  const hash = source.lastIndexOf("#");
  if (hash >= 0) return [source.slice(0, hash), source.slice(hash + 1).trim() || undefined];
  const at = source.lastIndexOf("@");
  if (at < 0 || isFolder(source) || source.includes("://") || source.startsWith("git@")) return [source, undefined];
  return [source.slice(0, at), source.slice(at + 1).trim() || undefined];
}

const shorthand = (source: string): string | undefined =>
  /^[A-Za-z0-9._-]+\/[A-Za-z0-9._-]+$/.test(source) ? `https://github.com/${source}.git` : undefined;
const withGit = (url: string): string => (url.startsWith("https://github.com/") && !url.endsWith(".git") ? `${url}.git` : url);

/** Nothing that git or ssh would parse as an option, and no invisible characters. */
function checkedUrl(url: string): string {
  const host = /^(?:[a-z]+:\/\/(?:[^@/]*@)?|git@)([^/:]*)/.exec(url)?.[1] ?? "";
  if (url.length > 2000 || /[\s\p{Cc}]/u.test(url) || url.startsWith("-") || host.startsWith("-"))
    throw new PluginProblem(`\`${shown(url)}\` is not a repository address`);
  return url;
}

/** A branch, tag or commit. Throws PluginProblem for anything git would parse as an option. */
export function checkedRef(ref: string): string {
  if (!/^[A-Za-z0-9._/+@-]{1,250}$/.test(ref) || ref.startsWith("-") || ref.includes(".."))
    throw new PluginProblem(`\`${shown(ref)}\` is not a branch, tag or commit`);
  return ref;
}

/** A folder in a repository. Throws PluginProblem. */
export function checkedSubfolder(given: string): string {
  const folder = given.trim().replace(/^\.\//, "");
  const isFit = folder !== "" && folder.length <= 1000 && !folder.startsWith("-") && !path.isAbsolute(folder);
  if (!isFit || /[\p{Cc}\\]/u.test(folder) || folder.split("/").some((part) => part === "" || part === "." || part === ".."))
    throw new PluginProblem(`\`${shown(given)}\` is not a folder in the repository`);
  return folder;
}

/** A plugin's source as written in a catalogue. `root` is the marketplace's folder. Throws PluginProblem. */
export function pluginSource(value: unknown, { root, file }: { readonly root: string; readonly file: string }): PluginSource {
  if (typeof value === "string") return localSource(value, root, file);
  if (!isRecord(value)) throw new PluginProblem("has no source");
  const text = (key: string): string => textAt(value, key)?.trim() ?? "";
  switch (value["source"]) {
    case "local":
      return localSource(text("path"), root, file);
    case "url":
    case "git-subdir": {
      const folder = value["source"] === "git-subdir" || text("path") !== "" ? checkedSubfolder(text("path")) : null;
      const [ref, sha] = [text("ref"), text("sha")];
      return {
        ...{ type: "git", url: repository(text("url"), root), path: folder },
        ...{ refName: ref === "" ? null : checkedRef(ref), sha: sha === "" ? null : checkedRef(sha) },
      };
    }
    case "npm":
      return npmSource(text("package"), text("version"), text("registry"));
    default:
      throw new PluginProblem(`has a source of an unknown kind: ${shown(JSON.stringify(value["source"]) ?? "none")}`);
  }
}

/** Only registry names: nothing that npm would parse as an option, a folder, a file or an address. */
function npmSource(name: string, version: string, registry: string): PluginSource {
  if (!/^(?:@[A-Za-z0-9][\w.-]*\/)?[A-Za-z0-9][\w.-]*$/.test(name) || name.length > 214)
    throw new PluginProblem(`invalid npm plugin source package: ${shown(name)}`);
  if (version !== "" && (!/^[\w.+~^*|<>= -]{1,100}$/.test(version) || version === "." || version === ".." || version.startsWith("-")))
    throw new PluginProblem(`npm plugin source version must use the registry: ${shown(version)}`);
  return { type: "npm", package: name, version: version || null, registry: registry === "" ? null : checkedRegistry(registry) };
}

function checkedRegistry(given: string): string {
  const url = URL.parse(given);
  const isPlain = url?.protocol === "https:" && url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if (!isPlain || /[\s\p{Cc}]/u.test(given)) throw new PluginProblem(`invalid npm plugin source registry: ${shown(given)}`);
  return given;
}

function localSource(given: string, root: string, file: string): PluginSource {
  if (given === "." || given === "./") return { type: "local", path: root };
  const isBareAllowed = file.endsWith(path.join(".cursor-plugin", "marketplace.json"));
  if (given === "" || !(given.startsWith("./") || isBareAllowed)) throw new PluginProblem("local plugin source path must start with `./`");
  const parts = given.replace(/^\.\//, "").split("/");
  if (parts.some((part) => part === "" || part === "." || part === ".." || part.includes("\0") || part.includes("\\")))
    throw new PluginProblem("local plugin source path must stay within the marketplace root");
  return { type: "local", path: path.join(root, ...parts) };
}

function repository(url: string, root: string): string {
  if (/^https?:\/\//.test(url)) return checkedUrl(withGit(url));
  if (/^(?:ssh:\/\/|git@[^:]+:|file:\/\/)/.test(url) || path.isAbsolute(url)) return checkedUrl(url);
  if (/^\.{1,2}\//.test(url)) {
    if (url.split("/").includes("..")) throw new PluginProblem("relative git plugin source url must stay within the marketplace root");
    return path.join(root, url);
  }
  const short = shorthand(url);
  if (short === undefined) throw new PluginProblem(`invalid git plugin source url: ${shown(url)}`);
  return short;
}
