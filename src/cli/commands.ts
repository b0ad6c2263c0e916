/** The table of subcommands. Each is loaded only when it is used. */
import type { Run } from "./usage.ts";

export interface Command {
  readonly summary: string;
  readonly load: () => Promise<{ readonly run: Run }>;
  /** Whether most of it is an ES module beside the bundle. */
  readonly isModule?: true;
}

export const commands: Readonly<Record<string, Command>> = {
  tui: { summary: "Talk to the agent in the terminal (also without a command)", load: () => import("./tui/tui.ts"), isModule: true },
  resume: {
    summary: "Go on with an earlier session in the terminal",
    load: async () => ({ run: (await import("./tui/tui.ts")).resume }),
    isModule: true,
  },
  fork: {
    summary: "Go on with a copy of an earlier session",
    load: async () => ({ run: (await import("./tui/tui.ts")).fork }),
    isModule: true,
  },
  "app-server": {
    summary: "Serve the app-server protocol over stdio, websockets or a unix socket",
    load: () => import("./app-server/app-server.ts"),
  },
  exec: { summary: "Run one turn without a person, for scripts and CI", load: () => import("./exec/exec.ts") },
  review: { summary: "Review changes without a person: exec review", load: async () => ({ run: (await import("./exec/exec.ts")).review }) },
  "mcp-server": { summary: "Serve the agent to MCP clients, over stdio or HTTP", load: () => import("./mcp-server/mcp-server.ts") },
  manager: { summary: "Every session in one place, in the browser and over HTTP", load: () => import("./manager/manager.ts") },
  fleet: { summary: "Set up and operate a fleet: many machines on one PostgreSQL", load: () => import("./fleet/fleet.ts") },
  worker: { summary: "Run threads for a fleet: many machines on one PostgreSQL", load: () => import("./worker.ts") },
  acp: { summary: "Serve an editor that speaks the Agent Client Protocol", load: () => import("./acp.ts") },
  threads: { summary: "List, show, search, export, archive, delete and repair stored threads", load: () => import("./threads/threads.ts") },
  archive: {
    summary: "Put threads away: threads archive",
    load: async () => ({ run: (await import("./threads/threads.ts")).archive }),
  },
  unarchive: {
    summary: "Take threads out of the archive",
    load: async () => ({ run: (await import("./threads/threads.ts")).unarchive }),
  },
  delete: {
    summary: "Delete threads for good: threads delete",
    load: async () => ({ run: (await import("./threads/threads.ts")).remove }),
  },
  features: { summary: "List feature flags and switch them on or off", load: () => import("./features.ts") },
  import: { summary: "Move in from another agent on this machine", load: () => import("./import.ts") },
  sandbox: { summary: "Run a command in the sandbox that the agent's commands get", load: () => import("./sandbox.ts") },
  execpolicy: { summary: "Check rules files against a command", load: () => import("./execpolicy.ts") },
  queue: { summary: "Leave a message that a thread works on as soon as it is idle", load: () => import("./queue.ts") },
  tour: { summary: "Show what the server does, offline, in a folder of its own", load: () => import("./tour.ts") },
  login: { summary: "Sign in, set up a model provider, or say who is signed in (login status)", load: () => import("./login.ts") },
  logout: {
    summary: "Forget the account and all stored keys, or the key of one provider",
    load: async () => ({ run: (await import("./login.ts")).logout }),
  },
  trust: { summary: "Trust this folder's project, or accept what changed in it", load: () => import("./trust.ts") },
  hooks: { summary: "List the hooks that the settings name, and trust them or switch them off", load: () => import("./hooks.ts") },
  plugin: { summary: "Install, list, remove and accept plugins, and their marketplaces", load: () => import("./plugin/plugin.ts") },
  mcp: { summary: "Add, list, show, remove and sign in to MCP servers", load: () => import("./mcp/mcp.ts") },
  doctor: { summary: "Say what works on this machine, with the fix for what does not", load: () => import("./doctor/doctor.ts") },
  debug: { summary: "Pack what helps to find a fault", load: () => import("./debug/debug.ts") },
  completion: { summary: "Print a script that completes commands and flags in your shell", load: () => import("./completion.ts") },
  version: { summary: "Print the version", load: () => import("./version.ts") },
  help: { summary: "Print this list, or what one command takes", load: () => import("./help/help.ts") },
};
