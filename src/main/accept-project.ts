/** The user's word for all that waits in a project: settings, rules, skills and MCP servers. Serves `parley trust` and clients that write trust. */
import type { App } from "../server/app.ts";

/** `redefining`: also MCP servers that take the place of the user's own; only for somebody who was shown them. */
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
