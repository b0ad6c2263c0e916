/** The sizes that users reach, for docs/performance.md and the terminal: curves, and a table for each with the limits of its last column. */
import { short } from "./short.ts";
import { type SizeFigures, type SizeName, type SizePoint, type SizeRow, sizes } from "./sizes.ts";

/** One table for each size: a column for each point of its curve, in brackets the other server. */
export function sizeTables({ points, when, load }: SizeFigures): string[] {
  return (Object.keys(sizes) as SizeName[]).flatMap((size) => {
    const at = points.filter((point) => point.size === size);
    const last = at.at(-1);
    if (last === undefined) return [];
    const rows = Object.entries<SizeRow>(sizes[size].rows).map(([id, row]) => {
      const cells = at.map(({ ours, codex }) => {
        const theirs = codex?.[id] === undefined ? "" : ` (${short(codex[id].median)})`;
        return `${ours === undefined ? "failed" : short(ours[id]?.median)}${theirs}`;
      });
      const [verdict, isMissed] = sizeVerdict(row, id, last);
      return `| ${isMissed ? `**${row.name}**` : row.name}${row.unit === "" ? "" : `, ${row.unit}`} | ${cells.join(" | ")} | ${verdict} |`;
    });
    const head = `| ${sizes[size].x} | ${at.map((point) => point.at.toLocaleString("en-US")).join(" | ")} | must |`;
    return [
      `**${sizes[size].title}**${measuredAt({ when, load: load.highest, ...last })}`,
      "",
      head,
      `|---|${at.map(() => "---:|").join("")}---|`,
      ...rows,
      "",
    ];
  });
}

function sizeVerdict({ limit, unit }: SizeRow, id: string, last: SizePoint): readonly [text: string, isMissed: boolean] {
  if (limit === undefined) return ["", false];
  const must = `≤ ${short(limit)}${unit === "" ? "" : ` ${unit}`}`;
  const value = last.ours?.[id]?.median;
  if (value === undefined || Number.isNaN(value)) return [`**${must}: not measured**`, true];
  const isMissed = last.at === sizes[last.size].full.at(-1) && value > limit;
  return [isMissed ? `**${must}: missed**` : must, isMissed];
}
const measuredAt = ({ when, load }: { readonly when: string; readonly load: number }): string =>
  ` (${when.slice(0, 16).replace("T", " ")}, load average ${short(load)})`;

export function sizesPart(figures: SizeFigures | undefined): string {
  if (figures === undefined) return "";
  return `## The sizes that users reach

Medians, in brackets Codex where it was measured too; the limit holds for the last column. The data are made for the occasion in the form in which Codex stores them, with words as frequent as in real texts. The load average is that at the end of each measurement, which makes some of it itself. \`npm run bench:full -- --only sizes\` measures this alone (\`size-home\`, \`size-thread\`, \`size-clients\`, \`size-repository\` and \`size-threads\` one of them), \`--write\` keeps it.

![Curves: what each size costs, beside its limit](bench/sizes.svg)

${sizeTables(figures).join("\n")}
How it is done: the messages' words of every thread are in a full-text index of SQLite without positions, beside the list of threads in \`$CODEX_HOME/parley/index.sqlite\`. It says which files have to be read, parts of words included, and reading them decides. One process of a home builds it in slices of 5 ms, a third of the time at most; files that it lacks or that have changed are read by searches (\`src/store/index/text-index.ts\`).

`;
}
