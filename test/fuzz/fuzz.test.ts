/** The corpus, and twenty seconds of inputs that are the same in every run, or others with PARLEY_SEED; `npm run fuzz` tries longer and keeps what it finds. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, describe, it } from "node:test";
import { managerTargets } from "./manager.ts";
import { projectTargets } from "./projects.ts";
import { serverTargets } from "./server.ts";
import { corpusOf, fuzz, inTime, type Target } from "./target.ts";
import { textTargets } from "./texts.ts";

const targets: readonly Target[] = [...textTargets, ...serverTargets, ...managerTargets, ...projectTargets];
const share = 20_000 / targets.length;

for (const target of targets)
  describe(`fuzzing: ${target.name}`, () => {
    after(() => target.close?.());
    it("every input of the corpus", async () => {
      for (const input of corpusOf(target.name))
        await inTime(target.check(input)).catch((error: Error) => {
          throw new Error(`${JSON.stringify(input)}: ${error.message}`, { cause: error });
        });
    });
    it("made inputs", async () => {
      const { failure } = await fuzz(target, share, Number(process.env["PARLEY_SEED"] ?? 1));
      if (failure !== undefined) throw new Error(`seed ${failure.seed}: ${JSON.stringify(failure.input)}\n${failure.reason}`);
    });
  });

it("the table of docs/reliability.md has a row for each target", () => {
  const text = readFileSync(path.join(import.meta.dirname, "../../docs/reliability.md"), "utf8");
  const table = /<!-- fuzz -->(.*?)<!-- \/fuzz -->/s.exec(text)?.[1] ?? "";
  const rows = [...table.matchAll(/^\| (\w+) \| \d+ \| \d+ \|$/gm)].map(([, name]) => name);
  assert.deepEqual(
    rows,
    targets.map(({ name }) => name),
    "run npm run fuzz -- --write",
  );
});
