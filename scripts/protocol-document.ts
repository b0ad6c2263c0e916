/** Writes docs/protocol.md from the method tables and the doc comments of their rows. Serves scripts/generate.ts. */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { placeOf } from "../src/cli/app-server/generate/layout.ts";
import { jsonSchema, type Lazy } from "../src/lib/schema.ts";
import type { Notification, Request } from "../src/protocol/define.ts";
import { clientRequests, serverNotifications, serverRequests } from "../src/protocol/methods.ts";
import { unsupportedGroups } from "../src/protocol/unsupported.ts";

interface Description {
  /** The file that contains the row. */
  readonly area: string;
  readonly sentence: string;
}
type Row = Request | Notification;
type Table = Readonly<Record<string, Row>>;

const intro = `# The protocol

Generated from \`src/protocol\` by \`npm run generate\`; do not edit. Types are named as in Codex, so that its documentation can be read beside this.

Messages are JSON objects, one to a line on stdio, one to a text frame on a websocket. There is no \`jsonrpc\` member. A message with \`method\` and \`id\` is a
request, one with \`method\` alone a notification, one with \`id\` and \`result\` or \`error\` an answer. Ids are strings or whole numbers and come back exactly as
they were sent. \`initialize\` comes first; \`params\` may be left out where nothing is required. Fields that are not known are ignored on both sides.

*Experimental* methods and fields need \`capabilities.experimentalApi: true\` in \`initialize\`; those marked *(current)* are open to clients of the
generation before, which send no other capability. Requests that change the same thread, the settings or the account are carried out in the order
they came; all others run at once. Bindings:
\`parley app-server generate-ts --out DIR\` and \`generate-json-schema --out DIR\`, each with \`--experimental\`; the whole set is kept in
[\`schema/\`](../schema).
`;

export function protocolDocument(root: string): string {
  const descriptions = descriptionsIn(root);
  const sections = [
    section("Requests of the client", clientRequests, descriptions),
    section("Questions of the server", serverRequests, descriptions),
    section("Notifications of the server", serverNotifications, descriptions),
    unsupported(),
  ];
  return `${[intro, ...sections].join("\n")}`;
}

/** The doc comment of each row, by method. */
function descriptionsIn(root: string): ReadonlyMap<string, Description> {
  const descriptions = new Map<string, Description>();
  for (const file of globSync("src/protocol/**/*.ts", { cwd: root })) {
    const text = readFileSync(path.join(root, file), "utf8");
    const area = file.split(path.sep).slice(2).join("/").replace(/\.ts$/, "");
    for (const [, sentence = "", quoted, plain, kind] of text.matchAll(
      /^ {2}\/\*\* (.+?) \*\/\n {2}(?:"([^"]+)"|(\w+)): (request|notification|event)\(/gm,
    )) {
      const name = quoted ?? plain ?? "";
      descriptions.set(kind === "event" ? `codex/event/${name}` : name, { area, sentence });
    }
  }
  return descriptions;
}

function section(title: string, table: Table, descriptions: ReadonlyMap<string, Description>): string {
  const byArea = new Map<string, string[]>();
  for (const [method, row] of Object.entries(table)) {
    const found = descriptions.get(method);
    if (found === undefined) throw new Error(`the row of ${method} has no doc comment`);
    const lines = byArea.get(found.area) ?? [];
    byArea.set(found.area, [...lines, line(method, row, found.sentence)]);
  }
  const areas = [...byArea].map(
    ([area, lines]) =>
      `### ${area}\n\n| method | what it does | params${isRequests(table) ? " → result" : ""} | |\n|---|---|---|---|\n${lines.join("\n")}\n`,
  );
  return `## ${title}\n\n${areas.join("\n")}`;
}

const isRequests = (table: Table): boolean => Object.values(table).some((row) => "result" in row);

function line(method: string, row: Row, sentence: string): string {
  const types = "result" in row ? `${link(row.params, row)} → ${link(row.result, row)}` : link(row.params, row);
  return `| \`${method}\` | ${sentence} | ${types} | ${remarks(row).join("; ")} |`;
}

function link(lazy: Lazy, row: Row): string {
  const { title } = jsonSchema(lazy());
  if (title === undefined || title === "Empty") return "–";
  const { folder, name } = placeOf(title, row.own === true);
  return `[${name}](../schema/typescript/${folder === "" ? "" : `${folder}/`}${name}.ts)`;
}

function remarks(row: Row): string[] {
  const notes: string[] = row.own === true ? ["ours alone"] : [];
  if (!("result" in row)) return notes;
  if (row.experimental !== undefined) notes.push(gate(row.experimental));
  const fields = Object.entries(row.experimentalFields ?? {});
  for (const kind of [true, "current"] as const) {
    const names = fields.filter(([, gated]) => gated === kind).map(([field]) => `\`${field}\``);
    if (names.length > 0) notes.push(`${gate(kind)}: ${names.join(", ")}`);
  }
  const without = Object.keys(row.noEffect ?? {}).map((field) => `\`${field}\``);
  if (without.length > 0) notes.push(`*no effect, warned of*: ${without.join(", ")}`);
  return notes;
}
const gate = (kind: true | "current"): string => (kind === true ? "*experimental*" : "*experimental (current)*");

function unsupported(): string {
  const groups = unsupportedGroups.map(({ why, methods }) => `- ${why} ${methods.map((method) => `\`${method}\``).join(", ")}`);
  return `## Not supported by Parley\n\nMethods of Codex that are answered with -32600 \`<method> is not supported by Parley\`:\n\n${groups.join("\n")}\n`;
}
