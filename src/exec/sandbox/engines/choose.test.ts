import assert from "node:assert/strict";
import { test } from "node:test";
import { noSandbox, programFolder } from "../../testing.ts";
import { EngineChoice } from "./choose.ts";

test("a choice that failed, by a refusal or by an error, is repeated with the next request", { skip: noSandbox }, async () => {
  const wishes = ["firejail", "auto"];
  let calls = 0;
  const choice = new EngineChoice(() => {
    if (calls++ === 0) throw new Error("the settings cannot be read");
    return wishes.shift() ?? "none";
  }, programFolder);
  await assert.rejects(choice.get(), /cannot be read/);
  assert.ok("refused" in (await choice.get()));
  const [first, second] = await Promise.all([choice.get(), choice.get()]);
  assert.ok("engine" in first && first === second && choice.now === first);
  assert.equal(await choice.get(), first);
  assert.equal(calls, 3, "a found engine is not searched for again");
});
