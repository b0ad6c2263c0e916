import assert from "node:assert/strict";
import { test } from "node:test";
import { noSandbox } from "../../testing.ts";
import { EngineChoice } from "./choose.ts";

test("a choice that failed, by a refusal or by an error, is made again at the next question", { skip: noSandbox }, async () => {
  const wishes = ["firejail", "auto"];
  let asked = 0;
  const choice = new EngineChoice(() => {
    if (asked++ === 0) throw new Error("the settings cannot be read");
    return wishes.shift() ?? "none";
  });
  await assert.rejects(choice.get(), /cannot be read/);
  assert.ok("refused" in (await choice.get()));
  const [first, second] = await Promise.all([choice.get(), choice.get()]);
  assert.ok("engine" in first && first === second && choice.now === first);
  assert.equal(await choice.get(), first);
  assert.equal(asked, 3, "what was found is not looked for again");
});
