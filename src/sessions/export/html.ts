/** A thread as one HTML page to share: no scripts, no external resources, and nothing in the thread can become markup. */
import { Marked } from "marked";
import { clean } from "../../lib/terminal-text.ts";
import type { Thread } from "../../protocol/thread.ts";
import { type Block, factsOf, scenesOf, titleOf } from "./transcript.ts";

export interface HtmlOptions {
  readonly withOutputs: boolean;
  /** Returns the URL that opens a file in an editor; undefined leaves paths as text. */
  readonly openFile: ((path: string) => string | undefined) | undefined;
}

const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

export function htmlOf(thread: Thread, options: HtmlOptions): string {
  const title = escapeHtml(clean(titleOf(thread)));
  const facts = factsOf(thread).map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(clean(value))}</dd>`);
  const scenes = scenesOf(thread.turns, options.withOutputs).map(
    (scene) => `<section>\n<h2>${escapeHtml(scene.title)}</h2>\n${scene.blocks.map((part) => block(part, options)).join("\n")}\n</section>`,
  );
  return [
    "<!doctype html>",
    '<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title>\n<style>${style}</style></head>`,
    `<body><main>\n<h1>${title}</h1>\n<dl>${facts.join("")}</dl>`,
    ...scenes,
    "</main></body></html>",
    "",
  ].join("\n");
}

function block(part: Block, { openFile }: HtmlOptions): string {
  switch (part.kind) {
    case "message":
      return `<article class="${part.by}"><h3>${part.by === "user" ? "User" : "Agent"}</h3>${part.by === "user" ? `<p class="pre">${shown(part.text)}</p>` : prose(part.text)}</article>`;
    case "thought":
      return `<details><summary>Thinking</summary>${prose(part.text)}</details>`;
    case "plan":
      return `<article><h3>Plan</h3>${prose(part.text)}</article>`;
    case "command":
      return `<figure><figcaption>${shown(part.cwd)} · ${shown(part.ended)}</figcaption><pre><b>$ ${shown(part.command)}</b>\n${shown(part.output.trimEnd())}</pre></figure>`;
    case "change": {
      const address = openFile?.(part.path);
      const path = address === undefined ? shown(part.path) : `<a href="${escapeHtml(address)}">${shown(part.path)}</a>`;
      return `<figure><figcaption>${shown(part.what)} ${path} · ${shown(part.ended)}</figcaption><pre>${diffLines(part.diff)}</pre></figure>`;
    }
    case "tool":
      return `<figure><figcaption>${shown(part.name)} · ${shown(part.ended)}</figcaption><pre>${shown(part.args)}\n${shown(part.output.trimEnd())}</pre></figure>`;
    case "picture":
      return /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/.test(part.url)
        ? `<p><img alt="a picture" src="${part.url}"></p>`
        : `<p class="note">(a picture: ${shown(part.url.slice(0, 200))})</p>`;
    case "note":
      return `<p class="note">${shown(part.text)}</p>`;
  }
}

const diffLines = (diff: string): string =>
  diff
    .trimEnd()
    .split("\n")
    .map((line) => (line.startsWith("+") ? `<ins>${shown(line)}</ins>` : line.startsWith("-") ? `<del>${shown(line)}</del>` : shown(line)))
    .join("\n");

const shown = (text: string): string => escapeHtml(clean(text));
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

/** The agent's markdown. Raw HTML in it is shown as text, links lead to the web only, images are named and not loaded. */
function prose(text: string): string {
  const marked = new Marked({
    gfm: true,
    renderer: {
      html: ({ text: raw }) => escapeHtml(raw),
      image: ({ href, text: alt }) => `<span class="note">(a picture: ${escapeHtml(alt || href)})</span>`,
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        return /^https?:\/\//i.test(href) ? `<a href="${escapeHtml(href)}" rel="noreferrer noopener">${text}</a>` : text;
      },
    },
  });
  return marked.parse(clean(text), { async: false });
}

const style = `
:root{color-scheme:light dark;--line:#8884;--soft:#8881}
body{font:16px/1.5 system-ui,sans-serif;margin:0}
main{max-width:52rem;margin:0 auto;padding:1rem}
h1{font-size:1.5rem}h2{font-size:1.1rem;border-bottom:1px solid var(--line);margin-top:2rem}h3{font-size:.8rem;text-transform:uppercase;margin:0 0 .25rem;opacity:.7}
dl{display:grid;grid-template-columns:max-content 1fr;gap:0 1rem;font-size:.9rem}dt{opacity:.7}dd{margin:0;overflow-wrap:anywhere}
article,details,figure{margin:1rem 0;padding:.75rem 1rem;border:1px solid var(--line);border-radius:.5rem;overflow-wrap:anywhere}
.user{background:var(--soft)}figcaption,.note{font-size:.85rem;opacity:.75}
pre{overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere;margin:.5rem 0 0;font:13px/1.45 ui-monospace,monospace}.pre{white-space:pre-wrap;margin:0}
ins{text-decoration:none;background:#2a92}del{text-decoration:none;background:#d332}img{max-width:100%}
table{border-collapse:collapse}td,th{border:1px solid var(--line);padding:.2rem .5rem}`;
