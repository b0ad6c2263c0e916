/** `npm run fuzz -- [--seconds 600] [--target NAME] [--seed N] [--write]`: tries odd inputs on everything that reads them. One that fails is made small and kept in the corpus. */
import { parseArgs } from "node:util";
import { today, writeFigures } from "../../scripts/figures.ts";
import { managerTargets } from "./manager.ts";
import { projectTargets } from "./projects.ts";
import { serverTargets } from "./server.ts";
import { fuzz, keep } from "./target.ts";
import { textTargets } from "./texts.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "600" },
    target: { type: "string" },
    seed: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
const all = [...textTargets, ...serverTargets, ...managerTargets, ...projectTargets];
const chosen = values.target === undefined ? all : all.filter(({ name }) => name === values.target);
if (chosen.length === 0) throw new Error(`no target ${values.target}; known are ${all.map(({ name }) => name).join(", ")}`);
const share = (Number(values.seconds) * 1000) / chosen.length;
if (!(share > 0)) throw new Error("--seconds must be a number above 0");
const rows: string[] = [];
for (const one of chosen) {
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
  const { runs, failure } = await fuzz(one, share, seed);
  await one.close?.();
  console.log(`${one.name}: ${runs} inputs in ${(share / 1000).toFixed(0)} s, seed ${seed}: ${failure === undefined ? "ok" : "FAILED"}`);
  rows.push(`| ${one.name} | ${runs} | ${failure === undefined ? "0" : "1"} |`);
  if (failure === undefined) continue;
  keep(one.name, failure.input);
  console.log(`  ${JSON.stringify(failure.input)} (kept in the corpus)\n  ${failure.reason}`);
  process.exitCode = 1;
}
if (values.write === true) {
  const table = `| target | inputs tried | failures |\n|---|---|---|\n${rows.join("\n")}`;
  writeFigures("docs/reliability.md", "fuzz", `${today()}, \`npm run fuzz -- --seconds ${values.seconds}\`:\n\n${table}`);
}
process.exit();
