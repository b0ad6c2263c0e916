/** `exec` for a person: progress goes to stderr; only the final message goes to stdout. */
import { styleText } from "node:util";
import type { Client } from "../../client/client.ts";
import { clean, cleanLine, cleanOutput, spelledOut } from "../../lib/terminal-text.ts";
import { hookNotice } from "../../protocol/hook-notice.ts";
import type { ThreadItem } from "../../protocol/item.ts";
import type { ThreadStartResponse, TokenUsageBreakdown } from "../../protocol/thread.ts";
import type { Turn } from "../../protocol/turn.ts";

type Style = Parameters<typeof styleText>[0];

/** Maximum number of output lines shown per command. */
const shownLines = 20;
const sandboxNames: Readonly<Record<string, string>> = {
  readOnly: "read-only",
  workspaceWrite: "workspace-write",
  dangerFullAccess: "danger-full-access",
  externalSandbox: "external",
};
const planMarks = { completed: "✔", inProgress: "→", pending: "·" };

/** `workspace-write [workdir, /tmp, $TMPDIR] (network access enabled)`. */
function sandboxLine(sandbox: ThreadStartResponse["sandbox"]): string {
  const name = sandboxNames[sandbox.type] ?? sandbox.type;
  const network = "networkAccess" in sandbox && (sandbox.networkAccess === true || sandbox.networkAccess === "enabled");
  const roots =
    sandbox.type === "workspaceWrite"
      ? [
          "workdir",
          ...(sandbox.excludeSlashTmp === true ? [] : ["/tmp"]),
          ...(sandbox.excludeTmpdirEnvVar === true ? [] : ["$TMPDIR"]),
          ...(sandbox.writableRoots ?? []),
        ]
      : [];
  return `${name}${roots.length > 0 ? ` [${roots.join(", ")}]` : ""}${network ? " (network access enabled)" : ""}`;
}

export class Transcript {
  readonly #out: (text: string) => void;
  readonly #colours: boolean;
  #threadId: string | undefined;
  /** Warnings that arrived before the thread was open. */
  #early: string[] = [];
  readonly #warned = new Set<string>();
  #usage: TokenUsageBreakdown | undefined;
  #lastError: string | undefined;
  #reviewing = false;
  /** The message that is being streamed, and whether its line is still open. */
  #streaming: string | undefined;
  #isMidLine = false;

  constructor(write: (text: string) => void, colours: boolean) {
    this.#out = write;
    this.#colours = colours;
  }

  /** The header lines match Codex's, because scripts search for them by name. */
  opened(answer: ThreadStartResponse, { version, summaries }: { readonly version: string; readonly summaries: string }): void {
    this.#threadId = answer.thread.id;
    const approval = typeof answer.approvalPolicy === "string" ? answer.approvalPolicy : "granular";
    this.#line(this.#styled("bold", `Parley ${version}`));
    this.#line("--------");
    for (const [name, value] of [
      ["workdir", answer.cwd],
      ["model", answer.model],
      ["provider", answer.modelProvider],
      ["approval", approval],
      ["sandbox", sandboxLine(answer.sandbox)],
      ["reasoning effort", answer.reasoningEffort ?? "none"],
      ["reasoning summaries", summaries],
      ["session id", answer.thread.id],
    ] as const)
      this.#line(`${this.#styled("bold", `${name}:`)} ${clean(value)}`);
    this.#line("--------");
    for (const text of this.#early.splice(0)) this.#warning(text);
  }

  prompt(text: string): void {
    this.#line(`${this.#styled("cyan", "user")}\n${clean(text).trimEnd()}`);
  }

  /** Listens to one thread, from `opened` on. */
  listen(client: Client): void {
    const mine = (p: { threadId?: string | null }): boolean => this.#threadId !== undefined && p.threadId === this.#threadId;
    client.on("item/started", (p) => mine(p) && this.#started(p.item));
    client.on("item/agentMessage/delta", (p) => mine(p) && this.#streamText(p.itemId, p.delta));
    client.on("item/completed", (p) => mine(p) && this.#completed(p.item));
    client.on("turn/plan/updated", (p) => {
      if (!mine(p)) return;
      const steps = p.plan.map(({ step, status }) =>
        this.#styled(status === "pending" ? "dim" : "reset", `${planMarks[status]} ${clean(step)}`),
      );
      this.#line(`\n${this.#styled("magenta", "plan")}\n${steps.join("\n")}`);
    });
    client.on("thread/tokenUsage/updated", (p) => {
      if (mine(p)) this.#usage = p.tokenUsage.total;
    });
    client.on("guardianWarning", (p) => mine(p) && this.#warning(p.message));
    client.on("warning", (p) => (p.threadId == null || mine(p)) && this.#warning(p.message));
    client.on("configWarning", (p) => this.#warning(p.details ? `${p.summary} ${p.details}` : p.summary));
    client.on("deprecationNotice", (p) => this.#warning(p.summary));
    client.on("hook/completed", (p) => {
      const text = mine(p) ? hookNotice(p.run) : undefined;
      if (text !== undefined) this.#warning(text);
    });
    client.on("model/rerouted", (p) => mine(p) && this.#warning(`model rerouted: ${p.fromModel} -> ${p.toModel}`));
    client.on("error", (p) => mine(p) && this.#failed(p.error.message, p.willRetry));
  }

  /** A signal arrived: the running turn is being stopped. */
  stopped(): void {
    this.#line(this.#styled("yellow", "interrupted"));
  }

  ended(turn: Turn): void {
    if (turn.status === "failed" && turn.error?.message !== this.#lastError) this.#failed(turn.error?.message ?? "the turn failed", false);
    const { inputTokens = 0, cachedInputTokens = 0, outputTokens = 0 } = this.#usage ?? {};
    const tokens = inputTokens - cachedInputTokens + outputTokens;
    if (tokens > 0) this.#line(`${this.#styled("dim", "tokens used")}\n${tokens.toLocaleString("en")}`);
  }

  #started(item: ThreadItem): void {
    if (item.type === "enteredReviewMode") {
      this.#reviewing = true;
      this.#line(`\n${this.#styled("magenta", "review")} ${clean(item.review)}`);
    }
    if (item.type === "commandExecution")
      this.#line(`\n${this.#styled("magenta", "run")} ${spelledOut(item.command)} ${this.#styled("dim", `in ${cleanLine(item.cwd)}`)}`);
    if (item.type === "mcpToolCall" || item.type === "dynamicToolCall") {
      const where = item.type === "mcpToolCall" ? item.server : (item.namespace ?? undefined);
      const name = where === undefined ? item.tool : `${where}.${item.tool}`;
      this.#line(
        `\n${this.#styled("magenta", "tool")} ${cleanLine(name)} ${this.#styled("dim", spelledOut(JSON.stringify(item.arguments) ?? ""))}`,
      );
    }
  }

  #streamText(itemId: string, delta: string): void {
    if (this.#reviewing) return;
    if (this.#streaming !== itemId) this.#line(`\n${this.#styled("green", "parley")}`);
    this.#streaming = itemId;
    const text = clean(delta);
    this.#out(text);
    if (text !== "") this.#isMidLine = !text.endsWith("\n");
  }

  #completed(item: ThreadItem): void {
    switch (item.type) {
      case "exitedReviewMode":
        this.#reviewing = false;
        return;
      case "agentMessage":
        return this.#messageDone(item);
      case "reasoning":
        return (item.summary ?? []).length === 0
          ? undefined
          : this.#line(this.#styled(["dim", "italic"], `\n${clean((item.summary ?? []).join("\n")).trimEnd()}`));
      case "commandExecution":
        return this.#commandDone(item);
      case "fileChange":
        return this.#line(
          `\n${this.#styled("magenta", "edit")} ${item.changes.map(({ path, kind }) => `${kind.type} ${spelledOut(path)}`).join(", ")}${item.status === "completed" ? "" : this.#styled("red", ` (${item.status})`)}`,
        );
      case "mcpToolCall":
        return this.#line(this.#styled(item.status === "completed" ? "dim" : "red", clean(item.error?.message ?? item.status)));
      case "webSearch":
        return this.#line(`\n${this.#styled("magenta", "search")} ${clean(item.query)}`);
      case "collabAgentToolCall":
        return this.#line(
          `\n${this.#styled("magenta", "agent")} ${snakeless(item.tool)} ${spelledOut(firstLine(item.prompt ?? ""))}`.trimEnd(),
        );
      case "subAgentActivity":
        return this.#line(`\n${this.#styled("magenta", "agent")} ${spelledOut(item.agentPath)} ${item.kind}`);
      case "contextCompaction":
        return this.#line(this.#styled("dim", "\ncontext compacted"));
      default:
        return undefined;
    }
  }

  #messageDone(item: Extract<ThreadItem, { type: "agentMessage" }>): void {
    if (this.#reviewing) return; // the verdict follows in readable form
    if (this.#streaming === item.id) return this.#closeLine();
    this.#line(`\n${this.#styled("green", "parley")}\n${clean(item.text).trimEnd()}`);
  }

  #commandDone(item: Extract<ThreadItem, { type: "commandExecution" }>): void {
    const seconds = ((item.durationMs ?? 0) / 1000).toFixed(1);
    const how = item.status === "declined" ? "declined" : `exit ${item.exitCode ?? "?"} in ${seconds} s`;
    const lines = cleanOutput(item.aggregatedOutput ?? "")
      .trimEnd()
      .split("\n");
    const shown = lines.length > shownLines ? [...lines.slice(0, shownLines), `… ${lines.length - shownLines} more lines`] : lines;
    if (shown.some((line) => line !== "")) this.#line(this.#styled("dim", shown.join("\n")));
    this.#line(this.#styled(item.exitCode === 0 ? "green" : "red", how));
  }

  #warning(text: string): void {
    if (this.#threadId === undefined) return void this.#early.push(text);
    if (this.#warned.has(text)) return;
    this.#warned.add(text);
    this.#line(`${this.#styled("yellow", "warning:")} ${clean(text)}`);
  }

  #failed(message: string, willRetry: boolean): void {
    if (willRetry) return this.#line(this.#styled("yellow", clean(message)));
    this.#lastError = message;
    this.#line(`${this.#styled(["bold", "red"], "error:")} ${clean(message)}`);
  }

  #closeLine(): void {
    if (this.#isMidLine) this.#out("\n");
    this.#isMidLine = false;
  }
  #line(text: string): void {
    this.#closeLine();
    this.#out(`${text}\n`);
  }
  #styled(style: Style, text: string): string {
    return this.#colours ? styleText(style, text, { validateStream: false }) : text;
  }
}

const snakeless = (tool: string): string => tool.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
const firstLine = (text: string): string => (text.split("\n")[0] ?? "").slice(0, 120);
