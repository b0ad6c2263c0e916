/** The terminal's own settings, as the server's config/read returns them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "../../client/client.ts";
import { readTuiConfig } from "./tui-config.ts";

const read = (config: object) => readTuiConfig({ call: async () => ({ config }) } as unknown as Client, undefined);

test("alternate_screen, animations, notification_method and the history's keys are used", async () => {
  const tui = { alternate_screen: "never", animations: false, notification_method: "bel", notifications: ["approval-requested"] };
  const config = await read({ tui, history: { persistence: "none", max_bytes: 5000 } });
  assert.deepEqual(
    [config.usesAltScreen, config.animates, config.notificationMethod, config.keepsHistory, config.historyBytes],
    [false, false, "bel", false, 5000],
  );
  assert.deepEqual([config.notifies("approval-requested"), config.notifies("agent-turn-complete")], [true, false]);
});

test("without them, and without an answer of the server, everything is on", async () => {
  const silent = { call: () => Promise.reject(new Error("gone")) } as unknown as Client;
  for (const config of [await read({}), await readTuiConfig(silent, undefined)])
    assert.deepEqual(
      [config.usesAltScreen, config.animates, config.notificationMethod, config.keepsHistory, config.historyBytes],
      [true, true, "auto", true, undefined],
    );
});
