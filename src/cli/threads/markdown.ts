/** A thread as markdown, for people and for tools that read it. */

import { clean } from "../../lib/terminal-text.ts";
import type { Thread } from "../../protocol/thread.ts";
import { type Block, factsOf, scenesOf, titleOf } from "../../sessions/export/transcript.ts";

export function markdownOf(thread: Thread, withOutputs: boolean): string {
  const facts = factsOf(thread).map(([name, value]) => `- ${name}: \`${clean(value).replaceAll("`", "'")}\``);
  const scenes = scenesOf(thread.turns, withOutputs).map(({ title, blocks }) => `## ${title}\n\n${blocks.map(block).join("\n\n")}`);
  return `${[`# ${escaped(clean(titleOf(thread)))}`, facts.join("\n"), ...scenes].join("\n\n")}\n`;
}

function block(part: Block): string {
  switch (part.kind) {
    case "message":
      return `**${part.by === "user" ? "User" : "Agent"}**\n\n${part.by === "user" ? quoted(clean(part.text)) : clean(part.text)}`;
    case "thought":
      return `<details><summary>Thinking</summary>\n\n${clean(part.text).replaceAll("</details>", "&lt;/details&gt;")}\n\n</details>`;
    case "plan":
      return `**Plan**\n\n${clean(part.text)}`;
    case "command":
      return `**Command** (${part.ended}) in \`${clean(part.cwd)}\`\n\n${fenced("console", `$ ${part.command}${part.output === "" ? "" : `\n${part.output.trimEnd()}`}`)}`;
    case "change":
      return `**${part.what} \`${clean(part.path)}\`** (${part.ended})\n\n${fenced("diff", part.diff.trimEnd())}`;
    case "tool":
      return `**Tool ${escaped(clean(part.name))}** (${part.ended})\n\n${fenced("json", part.args)}${part.output === "" ? "" : `\n\n${fenced("", part.output.trimEnd())}`}`;
    case "picture":
      return part.url.startsWith("data:") ? "*(a picture)*" : `![a picture](<${part.url.replaceAll(">", "%3E")}>)`;
    case "note":
      return `*${escaped(clean(part.text)).replaceAll("\n", " ")}*`;
  }
}

/** A fence that its content cannot close. */
function fenced(language: string, text: string): string {
  const body = clean(text);
  const longest = Math.max(2, ...[...body.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${body}\n${fence}`;
}

const quoted = (text: string): string =>
  text
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
const escaped = (text: string): string => text.replace(/[\\`*_<>[\]#|]/g, "\\$&");
