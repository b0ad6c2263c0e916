/** The MCP connections of one thread, or of requests without a thread, kept in sync with the settings. */
import type { Audience } from "../core/ports/audience.ts";
import type { McpServerConfig } from "../core/ports/config.ts";
import type { McpScope } from "../core/ports/mcp.ts";
import type { ToolContext } from "../core/ports/tool.ts";
import { Allowance } from "../lib/allowance.ts";
import { visibleText } from "../lib/visible-text.ts";
import { NotAccepted, refusalOf } from "./acceptance.ts";
import { type ConnectionState, McpConnection } from "./connection.ts";
import { elicit } from "./elicitation.ts";
import { QuestionLimit } from "./question-limit.ts";
import type { McpOptions } from "./servers.ts";
import { transportFor } from "./transport.ts";

export interface ConnectionGroup {
  readonly threadId: string | undefined;
  readonly connections: Map<string, McpConnection>;
  /** Running calls, oldest first, with the server of each: the server's requests go to the subscribers of the call's thread. */
  readonly serving: Map<ToolContext, string>;
  /** Servers that are waiting for the user's approval. */
  readonly waiting: Set<string>;
  /** Set once there were too many tools to offer directly; from then on they are found by search only, because switching back and forth would invalidate the prompt cache. */
  searched: boolean;
  usedAt: number;
}

/** Maximum number of names in one warning, and of characters per name. */
const maxNames = 10;
const maxName = 64;
/** Maximum number of warnings about one server per minute and thread. */
const warningsPerMinute = 10;

export const newGroup = (threadId: string | undefined): ConnectionGroup => ({
  threadId,
  connections: new Map(),
  serving: new Map(),
  waiting: new Set(),
  searched: false,
  usedAt: 0,
});

/** A server that does not end by itself takes a while to close, and must not be left behind when this process ends meanwhile. */
export class ClosingGroups {
  readonly #closing = new Set<Promise<void>>();

  async add({ connections }: ConnectionGroup): Promise<void> {
    const closed = Promise.all([...connections.values()].map((connection) => connection.close())).then(() => {});
    this.#closing.add(closed);
    await closed.finally(() => this.#closing.delete(closed));
  }

  /** All that are left, and those that are still closing. */
  async rest(groups: Map<string, ConnectionGroup>): Promise<void> {
    const left = [...groups.values()];
    groups.clear();
    await Promise.all([...this.#closing, ...left.map((group) => this.add(group))]);
  }
}

/** Keeps connections whose settings are unchanged, closes the others, and starts new ones in parallel. */
export function renew(group: ConnectionGroup, scope: McpScope, options: McpOptions): void {
  const wanted = Object.values(scope.config.mcpServers).filter((config) => config.enabled);
  for (const [name, connection] of group.connections) {
    const same = wanted.find((config) => config.name === name);
    if (same !== undefined && JSON.stringify(same) === JSON.stringify(connection.config)) {
      if (group.waiting.has(name) && options.acceptance.isAccepted(same)) connection.clearFailures();
      continue;
    }
    group.connections.delete(name);
    group.waiting.delete(name);
    void connection.close();
  }
  for (const config of wanted) {
    if (group.connections.has(config.name)) continue;
    const connection = connect(group, config, scope, options);
    group.connections.set(config.name, connection);
    connection.tools().catch(() => {}); // the next caller asks again and gets the error
  }
}

function connect(group: ConnectionGroup, config: McpServerConfig, scope: McpScope, options: McpOptions): McpConnection {
  let complaints = "";
  const questions = new QuestionLimit();
  const warnings = new Allowance({ count: warningsPerMinute, ms: 60_000 });
  /** Warnings about truncated lists, each sent once. */
  const cuts = new Set<string>();
  const { audience } = options;
  const { threadId } = group;
  const warn = (what: string): void => {
    const missed = threadId === undefined ? undefined : warnings.take();
    if (threadId === undefined || missed === undefined) return;
    const more = missed === 0 ? "" : ` (${missed} further warnings about it were left out)`;
    audience.toThread(threadId, "warning", { threadId, message: `the MCP server ${config.name} ${what}${more}` });
  };
  return new McpConnection({
    config,
    version: options.version,
    now: () => performance.now(),
    transport: async () => {
      complaints = "";
      if (!options.acceptance.isAccepted(config)) throw waits(group, config, audience);
      group.waiting.delete(config.name);
      return await transportFor({
        config,
        cwd: scope.cwd,
        env: options.env,
        auth: options.authFor(config),
        onStderr: (text) => {
          complaints = (complaints + text).slice(-2000);
        },
      });
    },
    elicit: (request, signal) => {
      const serving = [...group.serving].findLast(([, server]) => server === config.name)?.[0];
      const asked = serving?.threadId ?? threadId;
      if (asked === undefined) return Promise.resolve({ action: "decline" });
      return questions.ask(
        () => elicit(request, { audience, server: config.name, threadId: asked, serving }, signal),
        (why) =>
          audience.toThread(asked, "warning", {
            threadId: asked,
            message: `questions of the MCP server ${config.name} are declined: ${why}`,
          }),
      );
    },
    onState: (state) => {
      if (threadId !== undefined) announce(threadId, config.name, state, { complaints, audience });
    },
    onToolsChanged: (names) => {
      const shown = names.slice(0, maxNames).map((name) => visibleText(name, maxName));
      const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : "";
      warn(`now describes ${shown.join(", ")}${more} differently than before; approvals given for the session are requested again`);
    },
    onCut: (message) => {
      if (!cuts.has(message)) warn(`is cut: ${message}`);
      if (cuts.size < maxNames) cuts.add(message);
    },
  });
}

/** Notifies subscribers how to approve the server; the reason is also in the server's status. */
function waits(group: ConnectionGroup, config: McpServerConfig, audience: Audience): NotAccepted {
  const summary = refusalOf(config);
  if (group.threadId !== undefined && !group.waiting.has(config.name))
    audience.toThread(group.threadId, "configWarning", { summary, details: null });
  group.waiting.add(config.name);
  return new NotAccepted(summary);
}

function announce(
  threadId: string,
  name: string,
  state: ConnectionState,
  { complaints, audience }: { readonly complaints: string; readonly audience: Audience },
): void {
  if (state.kind === "notStarted") return;
  const reasons = state.kind === "failed" ? [state.reason, complaints.trim()].filter((text) => text !== "").join(": ") : "";
  const error = state.kind === "failed" ? `MCP client for \`${name}\` failed to start: ${reasons}` : null;
  audience.toThread(threadId, "mcpServer/startupStatus/updated", {
    threadId,
    name,
    status: state.kind,
    error,
    failureReason: state.kind === "failed" && state.needsLogin ? "reauthenticationRequired" : null,
  });
  if (state.kind === "failed")
    audience.toThread(threadId, "warning", { threadId, message: `MCP server ${name} is not available: ${reasons}` });
}
