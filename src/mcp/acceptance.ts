/** Records which MCP servers of trusted projects the user has accepted. Trusting a folder covers the servers it defined at that time, not later ones. */
import { createHash } from "node:crypto";
import type { Config, McpServerConfig } from "../core/ports/config.ts";
import type { ProjectTrust } from "../core/ports/project-trust.ts";

export interface McpAcceptance {
  /** Called when a trusted project's servers are first seen: the user trusted them with the folder, except those that replace the user's own servers and those defined in files below the root. */
  see(config: Config): void;
  isAccepted(server: McpServerConfig): boolean;
  /** Allows exactly this definition from now on. Throws if it cannot be saved. */
  accept(server: McpServerConfig): void;
}

/** A project's server differs from the one that the user accepted, or the user has never seen it. */
export class NotAccepted extends Error {}

export function refusalOf({ name, fromProject }: McpServerConfig): string {
  const why =
    fromProject?.redefines === true ? "takes the place of your own server of that name" : "is new, or not the one that you accepted";
  return `the MCP server ${name} of ${fromProject?.root ?? "this project"} ${why}, and is not started; look at its settings and run \`parley mcp accept ${name}\` in that folder to use it`;
}

/** Uses the project's trust record, which stores each accepted server under its own key. */
export function createMcpAcceptance(trust: ProjectTrust): McpAcceptance {
  /** While its settings are the same, a project has no servers that were not looked at. */
  const seen = new WeakSet<Config>();
  return {
    see(config) {
      const { trusted, repository, mcpServers } = config;
      if (!trusted || seen.has(config)) return;
      seen.add(config);
      trust.firstLook(repository, "mcp_servers", () => {
        const isFirst = ({ fromProject: of }: McpServerConfig): boolean => of !== undefined && !of.redefines && !of.isBelow;
        return Object.fromEntries(Object.values(mcpServers).filter(isFirst).map(entryOf));
      });
    },
    isAccepted(server) {
      if (server.fromProject === undefined) return true;
      const [name, digest] = entryOf(server);
      const accepted = trust.accepted(server.fromProject.root);
      return Object.hasOwn(accepted, name) && accepted[name] === digest;
    },
    accept(server) {
      if (server.fromProject !== undefined) trust.accept(server.fromProject.root, Object.fromEntries([entryOf(server)]));
    },
  };
}

const entryOf = (server: McpServerConfig): [name: string, digest: string] => [`mcp_servers.${server.name}`, definitionOf(server)];

/** Command, environment, address and approval mode: a change of any of them makes it a different server. */
function definitionOf({ transport, approval, allowedTools }: McpServerConfig): string {
  const entries = (value: unknown): unknown =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, inner]) => [key, entries(inner)])
      : value;
  return `sha256:${createHash("sha256")
    .update(
      JSON.stringify(entries({ ...transport, approval, ...(allowedTools.length === 0 ? {} : { allowedTools: allowedTools.toSorted() }) })),
    )
    .digest("hex")}`;
}
