/** `npm run site`: the documents as a small static site in dist/site, from the same markdown. No scripts, no external resources. */
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Marked } from "marked";

const root = path.resolve(import.meta.dirname, "..");

/** Pages in the order of the index; the rest follow by name. */
const first = [
  "README.md",
  "docs/README.md",
  "docs/start-client.md",
  "docs/start-ci.md",
  "docs/start-team.md",
  "docs/start-fleet.md",
  "docs/start-local-models.md",
];
const others = ["SECURITY.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "AGENTS.md", "examples/README.md"];

/** Writes the site and returns its pages; a broken link is an error that names it. */
export function buildSite(into: string): readonly string[] {
  const pages = [...new Set([...first, ...globSync("docs/*.md", { cwd: root }).sort(), ...others])].filter((page) =>
    existsSync(path.join(root, page)),
  );
  rmSync(into, { recursive: true, force: true });
  const titles = new Map(pages.map((page) => [page, titleOf(readFileSync(path.join(root, page), "utf8"), page)]));
  for (const page of pages) {
    const target = path.join(into, htmlName(page));
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, layout(page, titles, render(page, pages, into)));
  }
  writeFileSync(path.join(into, "style.css"), style);
  return pages;
}

/** README.md of a folder is its index. */
const htmlName = (page: string): string => page.replace(/README\.md$/, "index.html").replace(/\.md$/, ".html");
const titleOf = (text: string, page: string): string => /^# (.+)$/m.exec(text)?.[1] ?? page;

function render(page: string, pages: readonly string[], into: string): string {
  const marked = new Marked({ gfm: true });
  const ids = new Map<string, number>();
  marked.use({
    renderer: {
      heading({ tokens, depth }) {
        const text = this.parser.parseInline(tokens);
        const base = text
          .replaceAll(/<[^>]*>/g, "")
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
          .replaceAll(/^-|-$/g, "");
        const count = ids.get(base) ?? 0;
        ids.set(base, count + 1);
        return `<h${depth} id="${count === 0 ? base : `${base}-${count}`}">${text}</h${depth}>\n`;
      },
      html: ({ text }) => (/^<(?:br|\/?details|\/?summary|!--)/.test(text.trim()) ? text : escaped(text)),
    },
    walkTokens(token) {
      if (token.type === "link" || token.type === "image") token.href = target(token.href, page, pages, into);
    },
  });
  const html = marked.parse(readFileSync(path.join(root, page), "utf8"), { async: false });
  return html.replaceAll("<table>", '<div class="wide"><table>').replaceAll("</table>", "</table></div>");
}

/** A link to a page of the site leads there; another file or folder of the repository is copied too. */
function target(href: string, page: string, pages: readonly string[], into: string): string {
  if (/^[a-z]+:|^#/.test(href)) return href;
  const [file = "", hash] = href.split("#");
  const found = path.posix.join(path.posix.dirname(page), file);
  if (!existsSync(path.join(root, found))) throw new Error(`${page}: the link to ${href} leads nowhere`);
  const relative = (to: string): string => path.posix.relative(path.posix.dirname(htmlName(page)), to) || path.posix.basename(to);
  if (pages.includes(found)) return `${relative(htmlName(found))}${hash === undefined ? "" : `#${hash}`}`;
  cpSync(path.join(root, found), path.join(into, found), { recursive: true });
  return relative(found);
}

function layout(page: string, titles: ReadonlyMap<string, string>, body: string): string {
  const up = "../".repeat(page.split("/").length - 1);
  const links = [...titles].map(
    ([to, title]) => `<li${to === page ? ' class="here"' : ""}><a href="${up}${htmlName(to)}">${escaped(title)}</a></li>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src 'self'; style-src 'self'">
<title>${escaped(titles.get(page) ?? page)}${page === "README.md" ? "" : " · Parley"}</title>
<link rel="stylesheet" href="${up}style.css">
<nav aria-label="Documents"><ul>
${links.join("\n")}
</ul></nav>
<main>
${body}</main>
</html>
`;
}
const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const style = `:root { color-scheme: light dark; --line: light-dark(#d8d8d2, #3a3d42); --soft: light-dark(#f5f5f1, #1d1f23); --accent: light-dark(#0b5cad, #7db7f5); }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; display: grid; grid-template-columns: 16rem minmax(0, 1fr); background: light-dark(#fdfdfb, #141619); color: light-dark(#1c1e21, #e4e5e7); }
nav { border-right: 1px solid var(--line); padding: 1.5rem 1rem; font-size: .9rem; position: sticky; top: 0; height: 100vh; overflow: auto; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li { margin: .15rem 0; }
nav .here a { font-weight: 600; color: inherit; }
main { padding: 2rem 2.5rem 5rem; max-width: 62rem; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 1rem; }
h2 { margin-top: 2.2rem; border-bottom: 1px solid var(--line); padding-bottom: .2rem; }
code { font: .88em ui-monospace, monospace; background: var(--soft); padding: .1em .3em; border-radius: 4px; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; overflow: auto; }
pre code { background: none; padding: 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; }
th, td { border-bottom: 1px solid var(--line); padding: .4rem .7rem; text-align: left; vertical-align: top; }
img { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: 8px; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); } main { padding: 1.2rem; } }
`;

if (import.meta.main) {
  const into = path.join(root, "dist", "site");
  console.log(`${buildSite(into).length} pages in ${path.relative(root, into)}`);
}
