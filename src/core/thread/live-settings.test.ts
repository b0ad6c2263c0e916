import assert from "node:assert/strict";
import { test } from "node:test";
import type { Config } from "../ports/config.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import { LiveSettings } from "./live-settings.ts";

const profile = (denied: string) => ({
  ...{ description: null, extends: null, network: false, tmpdir: undefined, warnings: [] },
  rules: {
    isWhole: true,
    globScanMaxDepth: null,
    entries: [
      { path: ":root", access: "read" },
      { path: denied, access: "deny" },
    ],
  },
});
const config = {
  ...{ sandboxMode: "read-only", approvalPolicy: "never", requirements: { file: "" }, defaultProfile: undefined },
  permissionProfiles: { one: profile("/a"), two: profile("/b") },
} as unknown as Config;
const settings = { cwd: "/w", workspaceRoots: ["/w"], sandboxPolicy: { type: "dangerFullAccess" }, model: "m", modelProvider: "p" };

test("another profile is another sandbox, also where clients are shown the same policy: what was granted before ends", () => {
  const ports = { config: { effective: () => config }, chooseModel: () => ({ model: "m", provider: "p" }) };
  const live = new LiveSettings(ports as never, { settings: settings as unknown as ThreadSettings, config, chosen: [] });
  assert.equal(live.change({ permissions: "one" }), true);
  assert.equal(live.change({ permissions: "two" }), true);
  assert.equal(live.change({ permissions: "two" }), false);
  assert.deepEqual(live.current.sandboxPolicy, { type: "readOnly", networkAccess: false });
});
