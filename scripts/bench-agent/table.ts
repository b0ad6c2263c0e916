/** The table of the agent's bench in docs/performance.md, beside what other agents sent over the same kind of turns. */
import type { Figures } from "./figures.ts";

const begin = "<!-- agent: begin, written by `npm run bench:agent -- --write` -->";
const end = "<!-- agent: end -->";

/** The page with its section replaced; a page without one gets it at its end. */
export function replaceSection(page: string, section: string): string {
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  const whole = `${begin}\n${section}\n${end}`;
  if (from < 0 || to < from) return `${page.trimEnd()}\n\n${whole}\n`;
  return `${page.slice(0, from)}${whole}${page.slice(to + end.length)}`;
}

/** The section of an earlier page, for whoever writes the page anew. */
export function sectionOf(page: string): string {
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  return from < 0 || to < from ? "" : `${page.slice(from, to + end.length)}\n`;
}

const n = (value: number): string => value.toLocaleString("en-US");

export function agentSection(measured: Readonly<Record<string, Figures>>): string {
  const rows = Object.entries(measured).map(
    ([name, f]) =>
      `| ${name} | ${n(f.fixedTokens)} | ${n(f.manyToolsTokens)} | ${f.requests} | ${n(f.inputTokens)} | ${f.requests - 1 - f.brokenPrefixes}/${f.requests - 1} | ${f.brokenAcross === 0 ? "yes" : `${f.brokenAcross} broken`} | ${f.compactionShare} % | ${f.requestsOfATurn} | ${f.usd.toFixed(2)} | ${f.refused} |`,
  );
  return `## What the agent sends

Thirty staged turns (a question, commands, a failing command of 205 kB, an edit, a plan, images, three commands at once, 22 small tasks) against mocks that refuse what the vendors refuse, measured offline by \`npm run bench:agent\`. A token is taken as four characters, a picture as a thousand tokens; money is input alone, by the price table, with the provider's prompt cache simulated. The ceilings in [bench/agent.json](bench/agent.json) only fall, and CI holds them.

| Parley | fixed tokens | all tools with many of MCP | requests | input tokens | requests that append | over resume, fork, effort | compaction shares | most requests of a turn | USD | refused |
|---|---:|---:|---:|---:|---:|---|---:|---:|---:|---:|
${rows.join("\n")}

Other agents over thirty turns of the same kind, captured in November 2026 and counted with the o200k tokenizer; their play had some ten requests more, so the sums compare only roughly with those above:

| agent | fixed tokens | requests | input tokens | requests that append | USD |
|---|---:|---:|---:|---:|---:|
| Codex 0.166, gpt-5.5 | 7,789 | 67 | 1,823,028 | 66/66 | 1.08 |
| Codex 0.166, gpt-6.1-sol | 11,710 | 65 | 2,048,267 | 64/64 | |
| Claude Code 2.1.197, Opus 5.5 | 26,056 | 68 | 2,421,919 | 67/67 | 0.69 |
| opencode 1.18.33, Opus 5.5 | 7,161 | 68 | 1,893,172 | 67/67 | 0.55 |
| pi 0.73.1, Opus 5.5 | 1,452 | 67 | 1,473,778 | 66/66 | 0.44 |`;
}
