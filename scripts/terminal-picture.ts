/** `node scripts/terminal-picture.ts`: plays a short scene in a real terminal and draws its screen as docs/images/terminal.svg. Needs tmux and a build. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Terminal } from "../test/support/tmux.ts";
import { type Cell, cellsOf } from "./terminal-cells.ts";

const size = { columns: 92, rows: 40 };
const letter = { width: 8.4, height: 19 };
const edge = 18;
const bar = 36;
const ground = "#16181d";
const ink = "#d6d9e0";

const scene = [
  { run: "cat src/parser.ts" },
  {
    plan: [
      { step: "Find out why the last token is lost", status: "completed" },
      { step: "Flush the open token at the end of the input", status: "in_progress" },
      { step: "Run the tests", status: "pending" },
    ],
  },
  { say: "The loop only pushes a token when it meets a space, so the one that is still open at the end is **never pushed**." },
  {
    patch:
      '*** Begin Patch\n*** Update File: src/parser.ts\n@@\n     else token += letter;\n   }\n-  return tokens;\n+  if (token !== "") tokens.push(token);\n+  return tokens;\n }\n*** End Patch',
  },
  { run: "npm test", with: { sandbox_permissions: "require_escalated", justification: "The tests listen on a local port" } },
];
const source = `export function tokens(text: string): string[] {
  const tokens: string[] = [];
  let token = "";
  for (const letter of text) {
    if (letter === " ") {
      tokens.push(token);
      token = "";
    }
    else token += letter;
  }
  return tokens;
}
`;

const cleanUp: (() => unknown)[] = [];
try {
  const picture = draw(await screen());
  const file = path.resolve(import.meta.dirname, "../docs/images/terminal.svg");
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, picture);
  console.log(`${path.relative(process.cwd(), file)}: ${Math.ceil(picture.length / 1024)} kB`);
} finally {
  for (const step of cleanUp) await step();
}

async function screen(): Promise<string> {
  const term = new Terminal({ after: (step) => cleanUp.push(step) }, { ...size, turns: [scene], env: { PARLEY_THEME: "dark" } });
  mkdirSync(path.join(term.workspace, "src"));
  writeFileSync(path.join(term.workspace, "src/parser.ts"), source);
  await term.start();
  term.say("the parser loses the last token: find out why, and fix it");
  await term.until("stop the turn");
  return term.styled().replaceAll(term.workspace, "/home/ada/parser");
}

function draw(styled: string): string {
  const rows = cellsOf(styled);
  const from = rows.findIndex((row) => row.some(({ text }) => text.includes("the parser loses")));
  const last = rows.findLastIndex((row) => row.some(({ text }) => text.trim() !== ""));
  const shown = rows.slice(Math.max(0, from), last + 1);
  const width = Math.round(size.columns * letter.width + 2 * edge);
  const height = Math.round(shown.length * letter.height + bar + edge);
  const dots = ["#ff5f57", "#febc2e", "#28c840"].map((fill, i) => `<circle cx="${20 + i * 20}" cy="18" r="6" fill="${fill}"/>`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Parley in a terminal: a plan, a coloured diff and a question before a command runs">`,
    `<rect width="${width}" height="${height}" rx="10" fill="${ground}"/>`,
    `<path d="M0 ${bar}V10A10 10 0 0 1 10 0H${width - 10}A10 10 0 0 1 ${width} 10V${bar}Z" fill="#23262d"/>`,
    ...dots,
    `<text x="${width / 2}" y="23" fill="#9aa0ab" font-family="system-ui, sans-serif" font-size="13" text-anchor="middle">parley</text>`,
    `<g font-family="ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace" font-size="14" xml:space="preserve">`,
    ...shown.flatMap((row, y) => drawRow(row, bar + 6 + y * letter.height)),
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

/** Each run has an explicit position and length, so that columns line up in any font. */
function drawRow(cells: readonly Cell[], y: number): string[] {
  const drawn: string[] = [];
  let column = 0;
  for (const { text, columns, color, background, isBold, isItalic, isStruck, isUnderlined } of cells) {
    const x = (edge + column * letter.width).toFixed(1);
    const length = (columns * letter.width).toFixed(1);
    column += columns;
    if (background !== undefined) drawn.push(`<rect x="${x}" y="${y}" width="${length}" height="${letter.height}" fill="${background}"/>`);
    if (text.trim() === "") continue;
    const line = isStruck ? ' text-decoration="line-through"' : isUnderlined ? ' text-decoration="underline"' : "";
    const style = `${isBold ? ' font-weight="bold"' : ""}${isItalic ? ' font-style="italic"' : ""}${line}`;
    drawn.push(
      `<text x="${x}" y="${y + 14}" fill="${color ?? ink}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${style}>${escaped(text)}</text>`,
    );
  }
  return drawn;
}

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/ /g, "\u00a0");
}
