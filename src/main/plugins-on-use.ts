/** Plugins, created on first use: most homes have none, and most sessions need none. Serves the composition root. */
import { homedir } from "node:os";
import type { ConfigStore } from "../core/ports/config.ts";
import type { Log } from "../core/ports/log.ts";
import type { InstalledPlugins, Plugins } from "../core/ports/plugins.ts";
import type { ProjectTrust } from "../core/ports/project-trust.ts";
import type { Skills } from "../core/ports/skills.ts";
import { findSystemProgram } from "../lib/program.ts";
import { createInstalledPlugins } from "../plugins/installed.ts";
import { createPlugins } from "../plugins/plugins.ts";

interface Parts {
  readonly codexHome: string;
  readonly trust: ProjectTrust;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly config: () => ConfigStore;
  readonly skills: () => Skills;
  readonly log: Log;
}

export function pluginsOnUse(parts: Parts): { readonly installed: InstalledPlugins; readonly all: Plugins } {
  const { codexHome, trust, env, log } = parts;
  let reading: InstalledPlugins | undefined;
  let plugins: Plugins | undefined;
  const inHome = (): InstalledPlugins => {
    reading ??= createInstalledPlugins({ codexHome, trust });
    return reading;
  };
  const installed: InstalledPlugins = {
    find: (entries) => inHome().find(entries),
    trust: (entries) => inHome().trust(entries),
    accept: (id, content) => inHome().accept(id, content),
  };
  const made = (): Plugins => {
    plugins ??= createPlugins({
      ...{ codexHome, config: parts.config(), installed, userHome: env["HOME"] || homedir(), warn: (message) => log.warn(message) },
      git: { program: () => findSystemProgram("git"), env },
      // On Windows npm is a batch file, which cannot be started safely with arguments from others.
      npm: { program: () => (process.platform === "win32" ? undefined : findSystemProgram("npm")), env },
      skillsIn: (folder, plugin) => parts.skills().inPlugin(folder, plugin),
    });
    return plugins;
  };
  const all: Plugins = {
    list: (cwds) => made().list(cwds),
    read: (catalogue, name) => made().read(catalogue, name),
    install: (catalogue, name) => made().install(catalogue, name),
    uninstall: (id) => made().uninstall(id),
    trust: () => made().trust(),
    accept: (id, content) => made().accept(id, content),
    version: (id) => made().version(id),
    addMarketplace: (source) => made().addMarketplace(source),
    removeMarketplace: (name) => made().removeMarketplace(name),
    upgradeMarketplaces: (name) => made().upgradeMarketplaces(name),
    marketplaces: () => made().marketplaces(),
  };
  return { installed, all };
}
