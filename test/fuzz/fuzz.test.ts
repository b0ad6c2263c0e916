/** The corpus, and twenty seconds of new inputs; `npm run fuzz` tries longer and keeps what it finds. */
import { after, describe, it } from "node:test";
import { serverTargets } from "./server.ts";
import { corpusOf, fuzz, inTime, type Target } from "./target.ts";
import { textTargets } from "./texts.ts";

const targets: readonly Target[] = [...textTargets, ...serverTargets];
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
    it("new inputs", async () => {
      const { failure } = await fuzz(target, share, Math.floor(Math.random() * 2 ** 31));
      if (failure !== undefined) throw new Error(`seed ${failure.seed}: ${JSON.stringify(failure.input)}\n${failure.reason}`);
    });
  });
