/** Output of commands that only show something: status, MCP servers, skills, help. */
import { homedir } from "node:os";
import { cleanLine } from "../../lib/terminal-text.ts";
import { createPicker } from "../ask/picker.ts";
import { withEditor } from "../compose/composer.ts";
import { insert } from "../compose/editor.ts";
import { contextLeft, shortPath, tokens } from "../draw/status-line.ts";
import type { Command } from "./commands.ts";
import type { Completions } from "./completions.ts";
import { accessLabel } from "./labels.ts";
import { readSandbox, sandboxLine } from "./sandbox.ts";
import type { Shell } from "./shell.ts";

type Row = readonly [string, string];

export async function showStatus(shell: Shell): Promise<void> {
  const { store, options } = shell;
  const { conversation } = store;
  const { settings, usage } = conversation;
  if (settings === undefined) return;
  const rows: Row[] = [
    ["session", `${conversation.threadId ?? ""}${conversation.name === undefined ? "" : ` (${conversation.name})`}`],
    ["model", `${settings.model}${settings.effort === undefined ? "" : ` ${settings.effort}`} (${settings.provider})`],
    ["folder", cleanLine(options.remote === undefined ? shortPath(settings.cwd, homedir()) : settings.cwd)],
    ["access", accessLabel(settings.sandbox, settings.approvalPolicy)],
    ...(await sandboxRows(shell)),
    ["mode", settings.mode],
    ["account", await accountText(shell)],
    ...usageRows(usage),
    ...(await limitRows(shell)),
    ["server", options.remote ?? "in this process"],
    ["user agent", cleanLine(shell.client().server.userAgent)],
  ];
  store.print([{ kind: "card", title: `Parley ${options.version}`, rows }]);
}

function usageRows(usage: Shell["store"]["conversation"]["usage"]): Row[] {
  if (usage === undefined) return [];
  const { total, last, modelContextWindow: window } = usage;
  return [
    [
      "tokens",
      `${tokens(total.totalTokens)} (${tokens(total.inputTokens)} in, ${tokens(total.cachedInputTokens)} of it cached, ${tokens(total.outputTokens)} out)`,
    ],
    ...(window ? [["context", `${contextLeft(last.totalTokens, window)}% left of ${tokens(window)}`] as const] : []),
  ];
}

async function accountText(shell: Shell): Promise<string> {
  try {
    const { account } = await shell.client().call("account/read", {});
    if (!account) return "none";
    return account.type === "chatgpt" ? cleanLine(`${account.email ?? ""} (${account.planType})`) : account.type;
  } catch {
    return "unknown";
  }
}

async function sandboxRows(shell: Shell): Promise<Row[]> {
  const sandbox = await readSandbox(shell);
  return sandbox === undefined ? [] : [["sandbox", sandboxLine(sandbox)]];
}

/** Servers without an account refuse; then there is nothing to show. */
async function limitRows(shell: Shell): Promise<Row[]> {
  try {
    const { rateLimits } = await shell.client().call("account/rateLimits/read", {});
    return [rateLimits.primary, rateLimits.secondary].flatMap((window): Row[] => {
      if (!window) return [];
      const resets = window.resetsAt ? `, again at ${new Date(window.resetsAt * 1000).toLocaleString()}` : "";
      return [["limit", `${Math.round(window.usedPercent)}% used${resets}`]];
    });
  } catch {
    return [];
  }
}

export async function showMcp(shell: Shell): Promise<void> {
  const { threadId } = shell.store.conversation;
  const { data } = await shell
    .client()
    .call("mcpServerStatus/list", { limit: 100, detail: "toolsAndAuthOnly", threadId: threadId ?? null });
  if (data.length === 0) return shell.store.note("info", "No MCP server is configured. `parley mcp add` adds one.");
  const rows = data.map((server): Row => {
    const tools = Object.keys(server.tools).map(cleanLine);
    const state = server.toolsError ? `failed: ${cleanLine(server.toolsError)}` : (server.runtimeStatus ?? server.authStatus);
    return [cleanLine(server.name), `${state}, ${tools.length} tools${tools.length === 0 ? "" : `\n${tools.join(", ")}`}`];
  });
  shell.store.print([{ kind: "card", title: "MCP servers", rows }]);
}

export async function showSkills(shell: Shell, completions: Completions): Promise<void> {
  const skills = await completions.loadSkills();
  const picker = createPicker({
    title: "Skills",
    items: skills.map(({ name, description, isEnabled }) => ({
      id: name,
      label: `$${name}`,
      detail: isEnabled ? description : `off  ${description}`,
    })),
    canFilter: true,
    whenEmpty: "There are no skills here",
    hint: "enter puts it into your message, esc closes",
  });
  const name = await shell.pick(picker);
  const { composer } = shell.store.ui;
  if (name !== undefined) shell.store.setUi({ composer: withEditor(composer, insert(composer.editor, `$${name} `)) });
}

export async function showHelp(shell: Shell, commands: readonly Command[]): Promise<void> {
  const rows: Row[] = [
    ...commands.map(({ name, argument, text }): Row => [`/${name}`, argument === undefined ? text : `${argument}  ${text}`]),
    ["/prompts:NAME", `your own prompts, from ${shell.options.codexHome}/prompts`],
    ["@", "files of the folder"],
    ["$", "skills"],
    ["!", "a command of your own, outside the sandbox"],
    ["?", "the keys, when nothing is written"],
  ];
  shell.store.print([{ kind: "card", title: "Commands", rows }]);
}
