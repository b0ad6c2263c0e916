/** Names of plugins and marketplaces. Each becomes a path component below the home, so they are validated strictly. */

export interface PluginId {
  readonly name: string;
  readonly marketplace: string;
}

/** A problem that makes a plugin or marketplace unusable. The message can be shown to people. */
export class PluginProblem extends Error {}

const maxLength = 128;

/** `name@marketplace`. Throws PluginProblem. */
export function parseId(id: string): PluginId {
  const cut = id.lastIndexOf("@");
  const [name, marketplace] = [id.slice(0, Math.max(cut, 0)), id.slice(cut + 1)];
  if (cut <= 0 || marketplace === "") throw new PluginProblem(`invalid plugin key \`${shown(id)}\`; expected <plugin>@<marketplace>`);
  const wrong = nameProblem(name) ?? marketplaceProblem(marketplace);
  if (wrong !== undefined) throw new PluginProblem(`${wrong} in \`${shown(id)}\``);
  return { name, marketplace };
}

export const idText = ({ name, marketplace }: PluginId): string => `${name}@${marketplace}`;

/** Why this cannot be the name of a plugin, or undefined. */
export function nameProblem(name: string): string | undefined {
  if (name === "") return "invalid plugin name: must not be empty";
  if (name === "." || name === "..") return "invalid plugin name: path traversal is not allowed";
  if (!/^[A-Za-z0-9._-]+$/.test(name)) return "invalid plugin name: only ASCII letters, digits, `.`, `_`, and `-` are allowed";
  if (name.startsWith(".") || name.endsWith(".") || name.includes(".."))
    return "invalid plugin name: dots must separate non-empty name segments";
  return name.length > maxLength ? `invalid plugin name: longer than ${maxLength} characters` : undefined;
}

/** Why this cannot be the name of a marketplace, or undefined. */
export function marketplaceProblem(name: string): string | undefined {
  if (name === "") return "invalid marketplace name: must not be empty";
  if (!/^[A-Za-z0-9_-]+$/.test(name)) return "invalid marketplace name: only ASCII letters, digits, `_`, and `-` are allowed";
  return name.length > maxLength ? `invalid marketplace name: longer than ${maxLength} characters` : undefined;
}

/** Why this cannot be a version (also a folder name), or undefined. */
export function versionProblem(version: string): string | undefined {
  if (version === "") return "invalid plugin version: must not be empty";
  if (version === "." || version === "..") return "invalid plugin version: path traversal is not allowed";
  if (!/^[A-Za-z0-9._+-]+$/.test(version)) return "invalid plugin version: only ASCII letters, digits, `.`, `+`, `_`, and `-` are allowed";
  return version.length > maxLength ? `invalid plugin version: longer than ${maxLength} characters` : undefined;
}

/** Escapes external text for our messages. */
export const shown = (text: string): string => (text.length <= 200 ? text : `${text.slice(0, 200).toWellFormed()}…`);
