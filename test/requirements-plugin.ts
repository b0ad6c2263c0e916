/** Requirements for plugins: installed ones, and the marketplaces they come from. */
import type { Requirement } from "./requirements.ts";

export const pluginRequirements = {
  "plugin.skills": {
    source: "observed 0.166",
    says: "the skills of an installed plugin are listed under its name with its id, and are given to the model when they are named",
  },
  "plugin.servers": {
    source: "observed 0.166",
    says: "the MCP servers of an installed plugin run, carry its id, obey the user's policy for them and never take the place of the user's own",
  },
  "plugin.hooks": {
    source: "observed 0.166",
    says: "a plugin's hook runs once it is trusted, with the plugin's places in its environment, and its trust is bound to all of the plugin's files",
  },
  "plugin.changed": {
    source: "Parley",
    says: "a plugin whose files have changed since the user agreed to it has no effect and is told of, until the user agrees again",
  },
  "plugin.trust": {
    source: "Parley",
    says: "clients are told what each installed plugin runs and whether it is what the user agreed to, and an agreement covers only the content that was looked at",
  },
  "plugin.mention": { source: "observed 0.166", says: "a plugin that the input names is described to the model" },
  "plugin.off": {
    source: "observed 0.166",
    says: "a plugin has no effect that is switched off, in a project's settings alone, or while the feature is off",
  },
  "plugin.offInThread": {
    source: "observed 0.166",
    says: "a thread goes without the plugins that a turn or its settings name: skills, servers and hooks, in forks and after a resume too",
  },
  "plugin.agentFormat": {
    source: "source of 0.166",
    says: "a plugin in the Agent Plugins format brings its skills and servers along, and what of it must not run is left out with the reason",
  },
  "plugin.hostile": {
    source: "Parley",
    says: "a plugin with links, pipes, paths that lead out, odd manifests or too many files is left out with the reason, and the server lives",
  },
  "plugin.install": {
    source: "observed 0.166",
    says: "a marketplace of a folder is added, its plugins are listed and read, installed with all they bring along, and taken away without a trace",
  },
  "plugin.git": {
    source: "observed 0.166",
    says: "marketplaces and plugins come from git repositories too, and marketplaces are fetched again when there is something new",
  },
  "plugin.refusals": {
    source: "observed 0.166, Parley",
    says: "what cannot or must not be installed is refused in words, and neither names nor addresses of others reach git as options or leave the home",
  },
} as const satisfies Record<string, Requirement>;
