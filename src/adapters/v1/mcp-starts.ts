/** Follows how a thread's MCP servers start, for the v1 event that all of them have. */
import type { ParamsOf } from "../../protocol/define.ts";
import type { ServerNotifications } from "../../protocol/methods.ts";
import type { EventMessage } from "../../protocol/v1/event.ts";

type Update = ParamsOf<ServerNotifications["mcpServer/startupStatus/updated"]>;
type Complete = Extract<EventMessage, { type: "mcp_startup_complete" }>;

export class McpStarts {
  /** By thread, then by server; a thread is dropped as soon as none of its servers is starting. */
  readonly #threads = new Map<string, Map<string, Update>>();

  take(update: Update): readonly Complete[] {
    const threadId = update.threadId ?? "";
    const servers = this.#threads.get(threadId) ?? new Map<string, Update>();
    // An outcome without a start is a server that was started again.
    if (update.status !== "starting" && !servers.has(update.name)) return [];
    this.#threads.set(threadId, servers.set(update.name, update));
    const all = [...servers.values()];
    if (all.some(({ status }) => status === "starting")) return [];
    this.#threads.delete(threadId);
    const named = (wanted: Update["status"]): string[] => all.filter(({ status }) => status === wanted).map(({ name }) => name);
    const failed = all.filter(({ status }) => status === "failed").map(({ name, error }) => ({ server: name, error: error ?? "" }));
    return [{ type: "mcp_startup_complete", ready: named("ready"), failed, cancelled: named("cancelled") }];
  }
}
