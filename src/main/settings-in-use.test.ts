import assert from "node:assert/strict";
import { test } from "node:test";
import type { Config, ConfigStore } from "../core/ports/config.ts";
import { settingsInUse } from "./settings-in-use.ts";

test("settings are read again after a moment, and at once where something may have changed", () => {
  let ms = 0;
  let reads = 0;
  const settings = settingsInUse(
    () => {
      reads++;
      return { model: `read ${reads}` } as Config;
    },
    () => ms,
  );
  assert.equal(settings.now().model, "read 1");
  ms = 49;
  assert.equal(settings.now().model, "read 1");
  ms = 50;
  assert.equal(settings.now().model, "read 2");
  settings.again();
  assert.equal(settings.now().model, "read 3");
});

test("what others have just read of the server's own folder is not read again", () => {
  let reads = 0;
  const effective = (): Config => ({ model: `read ${++reads}` }) as Config;
  const settings = settingsInUse(effective, () => 0);
  const store = settings.noticing({ effective } as unknown as ConfigStore);
  assert.equal(store.effective(process.cwd()).model, "read 1");
  assert.equal(settings.now().model, "read 1");
  assert.equal(store.effective("/elsewhere").model, "read 2");
  assert.equal(store.effective(process.cwd(), { model: "another" }).model, "read 3");
  assert.equal(settings.now().model, "read 1");
  settings.again();
  assert.equal(settings.now().model, "read 4");
});
