/** `parley threads show` and `export`: messages and actions, for the terminal, as markdown, HTML or JSON. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Client } from "../../client/client.ts";
import { errorMessage } from "../../lib/error-text.ts";
import { terminalJson } from "../../lib/terminal-text.ts";
import type { Thread } from "../../protocol/thread.ts";
import { oneOf, print, printJson, printStyled, StartError, toStderr } from "../usage.ts";
import { threadOf } from "./find.ts";
import { type Context, numberFrom, type Values } from "./threads.ts";

async function wholeThread(client: Client, args: readonly string[], last: boolean): Promise<Thread> {
  const { id } = await threadOf(client, args, last);
  return (await client.call("thread/read", { threadId: id, includeTurns: true })).thread;
}

export async function show({ client }: Context, args: readonly string[], values: Values<"show">): Promise<number> {
  const thread = await wholeThread(client, args, values.last === true);
  if (values.json === true) return printJson(thread);
  const when = oneOf("color", values.color ?? "auto", ["always", "never", "auto"]);
  const colours = when === "always" || (when === "auto" && process.stdout.isTTY === true && !process.env["NO_COLOR"]);
  const turns = values.turns === undefined ? undefined : Math.max(1, numberFrom("turns", values.turns, 1));
  return printStyled((await import("./text.ts")).textOf(thread, { turns, colours }));
}

const formats = ["markdown", "html", "json"] as const;
type Format = (typeof formats)[number];
const endings: Readonly<Record<string, Format>> = {
  ".md": "markdown",
  ".markdown": "markdown",
  ".html": "html",
  ".htm": "html",
  ".json": "json",
};

export async function exportThread({ app, client }: Context, args: readonly string[], values: Values<"export">): Promise<number> {
  const format = formatFrom(values);
  const thread = await wholeThread(client, args, values.last === true);
  const text = await write(thread, format, values["no-outputs"] !== true, app.config.effective(process.cwd()).raw["file_opener"]);
  const file = values.output;
  if (file === undefined || file === "-") return print(text);
  try {
    writeFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    throw new StartError(`cannot write ${file}: ${errorMessage(error)}`);
  }
  if (values.json === true) return printJson({ threadId: thread.id, format, file: path.resolve(file), bytes: Buffer.byteLength(text) });
  toStderr(`Wrote ${file}`);
  return 0;
}

function formatFrom({ format, output, json }: Values<"export">): Format {
  if (format !== undefined) return oneOf("format", format, formats);
  const byName = output === undefined ? undefined : endings[path.extname(output).toLowerCase()];
  return byName ?? (json === true && output === undefined ? "json" : "markdown");
}

async function write(thread: Thread, format: Format, withOutputs: boolean, opener: unknown): Promise<string> {
  if (format === "json") return `${terminalJson(thread, 2)}\n`;
  if (format === "markdown") return (await import("./markdown.ts")).markdownOf(thread, withOutputs);
  return (await import("../../sessions/export/html.ts")).htmlOf(thread, { withOutputs, openFile: openerFrom(opener, thread.cwd) });
}

/** The URL that opens a file in the user's editor (`file_opener`). */
export function openerFrom(opener: unknown, cwd: string): ((file: string) => string) | undefined {
  const name = opener === undefined ? "vscode" : opener;
  if (typeof name !== "string" || name === "none") return undefined;
  return (file) => `${name}://file${encodeURI(path.resolve(cwd, file)).replaceAll("#", "%23").replaceAll("?", "%3F")}`;
}
