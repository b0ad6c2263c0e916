/** Which MCP servers of trusted projects the user has agreed to. A folder's trust covers what it defined then, not what it defines later. */
import { createHash } from "node:crypto";
import path from "node:path";
import type { Config, McpServerConfig } from "../core/ports/config.ts";
import { readBoundedTextSync } from "../lib/bounded-read.ts";
import { replaceFileSync } from "../lib/durable-write.ts";
import { named, object, parse, record, string } from "../lib/schema.ts";
import { isCode } from "../lib/system-error.ts";

export interface McpAcceptance {
  /** The first look at a trusted project's servers: they are what the user trusted, apart from those that take the place of the user's own. */
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

const Kept = named("McpAccepted", () => object({ folder: string(), servers: record(string()) }));
type Kept = { readonly folder: string; readonly servers: Readonly<Record<string, string>> };

const maxBytes = 4 * 1024 * 1024;

/** One small file for each project under `folder`, so that processes with different projects never write the same one. */
export function createMcpAcceptance(folder: string): McpAcceptance {
  const fileOf = (root: string): string => path.join(folder, `${createHash("sha256").update(root).digest("hex").slice(0, 32)}.json`);
  /** Where the home cannot be written, a look lasts as long as this process. */
  const unwritten = new Map<string, Kept>();
  const read = (root: string): Kept | undefined => {
    const held = unwritten.get(root);
    if (held !== undefined) return held;
    try {
      const kept = parse(Kept, JSON.parse(readBoundedTextSync(fileOf(root), maxBytes)));
      return kept?.folder === root ? kept : { folder: root, servers: {} };
    } catch (error) {
      // A record that cannot be read has accepted nothing; only one that was never there makes this the first look.
      return isCode(error, "ENOENT") ? undefined : { folder: root, servers: {} };
    }
  };
  const seen = new Set<string>();
  return {
    see({ trusted, repository: root, mcpServers }) {
      if (!trusted || seen.has(root)) return;
      seen.add(root);
      if (read(root) !== undefined) return;
      const servers = Object.values(mcpServers).filter(({ fromProject }) => fromProject !== undefined && !fromProject.redefines);
      const kept = { folder: root, servers: Object.fromEntries(servers.map((server) => [server.name, definitionOf(server)])) };
      try {
        write(fileOf(root), kept);
      } catch {
        unwritten.set(root, kept);
      }
    },
    isAccepted(server) {
      if (server.fromProject === undefined) return true;
      const { servers = {} } = read(server.fromProject.root) ?? {};
      return Object.hasOwn(servers, server.name) && servers[server.name] === definitionOf(server);
    },
    accept(server) {
      if (server.fromProject === undefined) return;
      const { root } = server.fromProject;
      write(fileOf(root), { folder: root, servers: { ...read(root)?.servers, [server.name]: definitionOf(server) } });
    },
  };
}

/** What runs, with what, where it is reached, and whether it is asked about: a change of any of them is another server. */
function definitionOf({ transport, approval }: McpServerConfig): string {
  const entries = (value: unknown): unknown =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, inner]) => [key, entries(inner)])
      : value;
  return `sha256:${createHash("sha256")
    .update(JSON.stringify(entries({ ...transport, approval })))
    .digest("hex")}`;
}

const write = (file: string, kept: Kept): void => replaceFileSync(file, `${JSON.stringify(kept, undefined, 2)}\n`);
