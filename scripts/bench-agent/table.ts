/** The table of the agent's bench in docs/performance.md, next to what other agents sent over the same kind of turns. */
export type Row = Readonly<Record<string, number>>;
export type Measured = Readonly<Record<string, Row>>;

const begin = "<!-- agent: begin, written by `npm run bench:agent -- --write` -->";
const end = "<!-- agent: end -->";

/** The page with its section replaced; appended to a page without one. */
export function replaceSection(page: string, section: string): string {
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  const whole = `${begin}\n${section}\n${end}`;
  if (from < 0 || to < from) return `${page.trimEnd()}\n\n${whole}\n`;
  return `${page.slice(0, from)}${whole}${page.slice(to + end.length)}`;
}

/** The section of an earlier page, for code that rewrites the page. */
export function sectionOf(page: string): string {
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  return from < 0 || to < from ? "" : `${page.slice(from, to + end.length)}\n`;
}

const n = (value: number): string => value.toLocaleString("en-US");

const cells = (...values: readonly (string | number)[]): string => `| ${values.join(" | ")} |`;
const only = (measured: Measured, head: string): [string, Row][] =>
  Object.entries(measured).flatMap(([name, row]) => (name.startsWith(head) ? [[name.slice(head.length), row] as [string, Row]] : []));
const of = (row: Row, key: string): number => row[key] ?? 0;

function laneRow([name, row]: readonly [string, Row]): string {
  const steps = of(row, "requests") - 1;
  const across = of(row, "brokenAcross") === 0 ? "yes" : `${of(row, "brokenAcross")} broken`;
  return cells(
    ...[name, n(of(row, "fixedTokens")), n(of(row, "manyToolsTokens")), of(row, "requests"), n(of(row, "inputTokens"))],
    ...[`${steps - of(row, "brokenPrefixes")}/${steps}`, across, `${of(row, "compactionShare")} %`, of(row, "requestsOfATurn")],
    ...[of(row, "usd").toFixed(2), of(row, "refused")],
  );
}

export function agentSection(measured: Measured): string {
  const rows = Object.entries(measured)
    .filter(([, row]) => "fixedTokens" in row)
    .map(laneRow);
  const limits = only(measured, "limits, ").map(([name, row]) =>
    cells(name, of(row, "requestsOfATurn"), n(of(row, "largestResult")), of(row, "failedTurns")),
  );
  const templates = only(measured, "template, ").map(([name, row]) =>
    cells(name, of(row, "refusals"), of(row, "toolsAsText") === 0 ? "as tools" : "as text", of(row, "failedTurns")),
  );
  const sessions = only(measured, "session, ").map(([name, row]) => cells(name, of(row, "calls"), of(row, "failedHere")));
  const recorded = only(measured, "recorded, ").map(([name, row]) => cells(name, of(row, "requests"), of(row, "differing")));
  const socket = measured["responses over a websocket, gpt-5.5"] ?? {};
  const slips = measured["tolerance"] ?? {};
  return `## What the agent sends

Thirty staged turns (a question, commands, a failing command of 205 kB, an edit, a plan, images, three commands at once, 22 small tasks) against mocks that refuse what the vendors refuse, measured offline by \`npm run bench:agent\`. A token is taken as four characters, a picture as a thousand tokens; money is input alone, by the price table, with the provider's prompt cache simulated. The ceilings in [bench/agent.json](bench/agent.json) only fall, and CI holds them.

| Parley | fixed tokens | all tools with many of MCP | requests | input tokens | requests that append | over resume, fork, effort | compaction shares | most requests of a turn | USD | refused |
|---|---:|---:|---:|---:|---:|---|---:|---:|---:|---:|
${rows.join("\n")}

Over the websocket the provider holds what it was told and compacts the history itself: of the ${n(of(socket, "inputTokens"))} tokens that the model reads, ${n(of(socket, "sentTokens"))} go over the line.

Other agents over thirty turns of the same kind, captured in November 2026 and counted with the o200k tokenizer; their play had some ten requests more, so the sums compare only roughly with those above:

| agent | fixed tokens | requests | input tokens | requests that append | USD |
|---|---:|---:|---:|---:|---:|
| Codex 0.166, gpt-5.5 | 7,789 | 67 | 1,823,028 | 66/66 | 1.08 |
| Codex 0.166, gpt-6.1-sol | 11,710 | 65 | 2,048,267 | 64/64 | |
| Claude Code 2.1.197, Opus 5.5 | 26,056 | 68 | 2,421,919 | 67/67 | 0.69 |
| opencode 1.18.33, Opus 5.5 | 7,161 | 68 | 1,893,172 | 67/67 | 0.55 |
| pi 0.73.1, Opus 5.5 | 1,452 | 67 | 1,473,778 | 66/66 | 0.44 |

At the limits: a failing command of 205 kB, two at once, a result of MCP of 5 MB, a picture of 5 MB and 67 tools in a window of 200,000 tokens, then commands of that length and words in one of 8,192. For comparison, in another play: Codex 0.166 sent 12,018 characters of an MCP result of 598 kB.

| wire | most requests of a turn | tokens of the largest result | failed turns |
|---|---:|---:|---:|
${limits.join("\n")}

Chat templates of our own with the rules of those that come with llama.cpp, rendered by a Jinja library behind a mock of llama-server, which refuses what a template raises an exception at: seven turns with two calls at once, a picture, a torn call and a compaction.

| template | refused until it was known | tools | failed turns |
|---|---:|---|---:|
${templates.join("\n")}

Of ${of(slips, "calls")} malformed calls ${of(slips, "callsAccepted")} are carried out as they were meant, of ${of(slips, "patches")} malformed patches ${of(slips, "patchesAccepted")}; the others have no one reading. Codex 0.166 took 3 of 25 calls and 16 of 28 patches of other lists of the same kinds of slips.

Sessions of this agent, recorded from its own loop with a model that followed a script (no real model was ever asked), and played again: what is sent must be the same byte for byte, folders, ids, dates and times aside.

| wire | requests | that differ from the recording |
|---|---:|---:|
${recorded.join("\n")}

Staged sessions, written by hand in the forms that rollouts and calls have in three versions of Codex (no recording of a real one is among them), played with real outputs:

| session | calls that were made | failed here and not there |
|---|---:|---:|
${sessions.join("\n")}`;
}
