/** Which MCP servers of trusted projects the user has agreed to. A folder's trust covers what it defined then, not what it defines later. */
import { createHash } from "node:crypto";
import type { Config, McpServerConfig } from "../core/ports/config.ts";
import type { ProjectTrust } from "../core/ports/project-trust.ts";

export interface McpAcceptance {
  /** The first look at a trusted project's servers: they are what the user trusted, apart from those that take the place of the user's own and those of files below the root. */
  see(config: Config): void;
  isAccepted(server: McpServerConfig): boolean;
  /** From now on this very definition may run. Throws when it cannot be kept. */
  accept(server: McpServerConfig): void;
}

/** A project's server is not the one that the user agreed to, or one that the user never saw. */
export class NotAccepted extends Error {}

export function refusalOf({ name, fromProject }: McpServerConfig): string {
  const why =
    fromProject?.redefines === true ? "takes the place of your own server of that name" : "is new, or not the one that you accepted";
  return `the MCP server ${name} of ${fromProject?.root ?? "this project"} ${why}, and is not started; look at its settings and run \`parley mcp accept ${name}\` in that folder to use it`;
}

/** By the project's record of what the user agreed to, which holds each server under a name of its own. */
export function createMcpAcceptance(trust: ProjectTrust): McpAcceptance {
  return {
    see({ trusted, repository, mcpServers }) {
      if (!trusted) return;
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

/** What runs, with what, where it is reached, and whether it is asked about: a change of any of them is another server. */
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
