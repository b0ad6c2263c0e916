/** Accepts everything in a project that waits for the user's trust: settings, rules, skills, MCP servers. For `parley trust` and clients. */
import type { App } from "../server/app.ts";

/** `redefining`: also accept MCP servers that replace the user's own; only for a person who was shown them. */
export async function acceptProject(
  app: Pick<App, "config" | "skills" | "mcp">,
  cwd: string,
  { redefining }: { redefining: boolean },
): Promise<void> {
  app.config.acceptWaiting(cwd);
  const config = app.config.effective(cwd);
  if (!config.trusted) return;
  for (const server of Object.values(config.mcpServers))
    if (server.fromProject !== undefined && (redefining || !server.fromProject.redefines)) app.mcp.accept(server);
  await app.skills.acceptWaiting(cwd);
}
