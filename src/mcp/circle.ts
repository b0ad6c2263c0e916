/** The MCP connections of one thread, or of nobody, kept in step with the settings. */
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

export interface Circle {
  readonly threadId: string | undefined;
  readonly connections: Map<string, McpConnection>;
  /** Calls that run, oldest first, with the server that serves each: its thread's people are asked when the server asks. */
  readonly serving: Map<ToolContext, string>;
  /** Servers that wait for the user's yes. */
  readonly waiting: Set<string>;
  /** Once there were too many tools to offer them all, they stay behind the search: the list that the model gets must not flicker. */
  searched: boolean;
  usedAt: number;
}

/** Names that one warning shows, and characters of each. */
const maxNames = 10;
const maxName = 64;
/** Warnings about one server that its thread gets. */
const warningsPerMinute = 10;

export const newCircle = (threadId: string | undefined): Circle => ({
  threadId,
  connections: new Map(),
  serving: new Map(),
  waiting: new Set(),
  searched: false,
  usedAt: 0,
});

export async function closeCircle({ connections }: Circle): Promise<void> {
  await Promise.all([...connections.values()].map((connection) => connection.close()));
}

/** Keeps connections whose settings are the same, ends the others, and starts the new ones side by side. */
export function renew(circle: Circle, scope: McpScope, options: McpOptions): void {
  const wanted = Object.values(scope.config.mcpServers).filter((config) => config.enabled);
  for (const [name, connection] of circle.connections) {
    const same = wanted.find((config) => config.name === name);
    if (same !== undefined && JSON.stringify(same) === JSON.stringify(connection.config)) {
      if (circle.waiting.has(name) && options.acceptance.isAccepted(same)) connection.forgive();
      continue;
    }
    circle.connections.delete(name);
    circle.waiting.delete(name);
    void connection.close();
  }
  for (const config of wanted) {
    if (circle.connections.has(config.name)) continue;
    const connection = connect(circle, config, scope, options);
    circle.connections.set(config.name, connection);
    connection.tools().catch(() => {}); // whoever needs them asks again and hears why
  }
}

function connect(circle: Circle, config: McpServerConfig, scope: McpScope, options: McpOptions): McpConnection {
  let complaints = "";
  const questions = new QuestionLimit();
  const warnings = new Allowance({ count: warningsPerMinute, ms: 60_000 });
  /** What was said of lists that are too long, once each. */
  const cuts = new Set<string>();
  const { audience } = options;
  const { threadId } = circle;
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
      if (!options.acceptance.isAccepted(config)) throw waits(circle, config, audience);
      circle.waiting.delete(config.name);
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
      const serving = [...circle.serving].findLast(([, server]) => server === config.name)?.[0];
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
      warn(`now says something else of ${shown.join(", ")}${more} than before; what was accepted for the session is asked about again`);
    },
    onCut: (message) => {
      if (!cuts.has(message)) warn(`is cut: ${message}`);
      if (cuts.size < maxNames) cuts.add(message);
    },
  });
}

/** The config's readers are told how to say yes; the reason also stands in the server's status. */
function waits(circle: Circle, config: McpServerConfig, audience: Audience): NotAccepted {
  const summary = refusalOf(config);
  if (circle.threadId !== undefined && !circle.waiting.has(config.name))
    audience.toThread(circle.threadId, "configWarning", { summary, details: null });
  circle.waiting.add(config.name);
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
