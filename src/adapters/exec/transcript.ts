/** `exec` for a person: what happens, as it happens, on stderr; the final message alone is for stdout. */
import { stripVTControlCharacters, styleText } from "node:util";
import type { Client } from "../../client/client.ts";
import type { ThreadItem } from "../../protocol/item.ts";
import type { ThreadStartResponse } from "../../protocol/thread.ts";

type Style = Parameters<typeof styleText>[0];

/** Lines of a command's output that are shown. */
const shownLines = 20;

export class Transcript {
  readonly #write: (text: string) => void;
  readonly #colours: boolean;

  constructor(write: (text: string) => void, colours: boolean) {
    this.#write = write;
    this.#colours = colours;
  }

  opened(answer: ThreadStartResponse, version: string): void {
    const sandbox = answer.sandbox.type;
    const approval = typeof answer.approvalPolicy === "string" ? answer.approvalPolicy : "granular";
    this.#line(this.#styled("bold", `Parley ${version}`));
    this.#line(
      this.#styled("dim", `${answer.model} (${answer.modelProvider}) · ${answer.cwd} · sandbox ${sandbox} · approvals ${approval}`),
    );
    this.#line(this.#styled("dim", `session ${answer.thread.id}`));
  }

  prompt(text: string): void {
    this.#line(`\n${this.#styled("cyan", "you")}\n${text}`);
  }

  listen(client: Client, threadId: string): void {
    const mine = (p: { threadId?: string | null }): boolean => p.threadId === threadId;
    client.on("item/started", (p) => mine(p) && this.#started(p.item));
    client.on("item/completed", (p) => mine(p) && this.#completed(p.item));
    client.on("turn/plan/updated", (p) => {
      if (!mine(p)) return;
      const marks = { completed: "✔", inProgress: "→", pending: "·" };
      this.#line(`\n${this.#styled("magenta", "plan")}\n${p.plan.map(({ step, status }) => `${marks[status]} ${step}`).join("\n")}`);
    });
    client.on("warning", (p) => this.#line(this.#styled("yellow", `warning: ${plain(p.message)}`)));
    client.on("configWarning", (p) => this.#line(this.#styled("yellow", `warning: ${plain(p.summary)}`)));
    client.on(
      "error",
      (p) =>
        mine(p) && this.#line(this.#styled(p.willRetry ? "yellow" : "red", `${p.willRetry ? "" : "error: "}${plain(p.error.message)}`)),
    );
  }

  usage(tokens: number): void {
    this.#line(this.#styled("dim", `\ntokens used: ${tokens.toLocaleString("en")}`));
  }

  #started(item: ThreadItem): void {
    if (item.type === "commandExecution")
      this.#line(`\n${this.#styled("magenta", "run")} ${plain(item.command)} ${this.#styled("dim", `in ${item.cwd}`)}`);
    if (item.type === "mcpToolCall")
      this.#line(`\n${this.#styled("magenta", "tool")} ${item.server}.${item.tool} ${this.#styled("dim", JSON.stringify(item.arguments))}`);
  }

  #completed(item: ThreadItem): void {
    switch (item.type) {
      case "agentMessage":
        return this.#line(`\n${this.#styled("green", "parley")}\n${plain(item.text)}`);
      case "reasoning":
        return (item.summary ?? []).length === 0
          ? undefined
          : this.#line(this.#styled("dim", `\n${plain((item.summary ?? []).join("\n"))}`));
      case "commandExecution": {
        const isWell = item.exitCode === 0;
        const how =
          item.status === "declined" ? "declined" : `exit ${item.exitCode ?? "?"} in ${((item.durationMs ?? 0) / 1000).toFixed(1)} s`;
        this.#output(item.aggregatedOutput ?? "");
        return this.#line(this.#styled(isWell ? "dim" : "red", how));
      }
      case "fileChange":
        return this.#line(
          `\n${this.#styled("magenta", "edit")} ${item.changes.map(({ path, kind }) => `${kind.type} ${path}`).join(", ")}${item.status === "completed" ? "" : this.#styled("red", ` (${item.status})`)}`,
        );
      case "mcpToolCall":
        return this.#line(this.#styled(item.status === "completed" ? "dim" : "red", item.error?.message ?? item.status));
      case "webSearch":
        return this.#line(`\n${this.#styled("magenta", "search")} ${plain(item.query)}`);
      default:
        return undefined;
    }
  }

  #output(text: string): void {
    const lines = plain(text).trimEnd().split("\n");
    if (lines.length === 1 && lines[0] === "") return;
    const shown = lines.length > shownLines ? [...lines.slice(0, shownLines), `… ${lines.length - shownLines} more lines`] : lines;
    this.#line(this.#styled("dim", shown.join("\n")));
  }
  #line(text: string): void {
    this.#write(`${text}\n`);
  }
  #styled(style: Style, text: string): string {
    return this.#colours ? styleText(style, text, { validateStream: false }) : text;
  }
}

/** Text of models and commands must not steer the terminal. */
const plain = (text: string): string => stripVTControlCharacters(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "");
