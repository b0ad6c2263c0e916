/** Plugins shared by Parley and the real Codex 0.166 on one home: installed by one, listed, trusted and removed by the other. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { plainPlugin, writeFiles } from "../scenarios/plugin/stage.ts";
import { scratch } from "../support/process.ts";
import { codexProgram } from "./codex-package.ts";
import { Side } from "./side.ts";

test("what one installs works in the other, with the same lists, digests and trust", async (t) => {
  const codex = codexProgram("0.166.0");
  if ("skip" in codex) return t.skip(codex.skip);
  const folder = scratch(t);
  const market = path.join(folder, "market");
  mkdirSync(path.join(folder, "ws"));
  const hooks = { hooks: { Stop: [{ hooks: [{ type: "command", command: `\${CLAUDE_PLUGIN_ROOT}/stop.sh` }] }] } };
  const files = {
    ...plainPlugin(),
    ".mcp.json": { mcpServers: { fx: { command: "true" } } },
    "hooks/hooks.json": hooks,
    "stop.sh": "exit 0\n",
  };
  writeFiles(market, {
    ".agents/plugins/marketplace.json": { name: "mk", plugins: [{ name: "demo", source: "./demo", category: "Tools" }] },
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`demo/${name}`, text])),
  });
  const plugin = { pluginName: "demo", marketplacePath: path.join(market, ".agents/plugins/marketplace.json") };
  const cwds = [path.join(folder, "ws")];
  const real = await new Side(t, folder, codex.program).open();
  assert.equal((await real.call("marketplace/add", { source: market })).alreadyAdded, false);
  await real.call("plugin/install", plugin);
  const ours = await new Side(t, folder).open();
  assert.equal((await ours.call("marketplace/add", { source: market })).alreadyAdded, true);
  for (const method of ["plugin/list", "plugin/installed"]) assert.deepEqual(await ours.call(method), await real.call(method), method);
  assert.deepEqual(await ours.call("plugin/read", plugin), await real.call("plugin/read", plugin));
  const hooksOf = async (side: Side) => (await side.call("hooks/list", { cwds })).data[0].hooks;
  const [hook] = await hooksOf(ours);
  assert.deepEqual([hook], await hooksOf(real));
  const skillsOf = async (side: Side) =>
    (await side.call("skills/list", { cwds, forceReload: true })).data[0].skills.filter(
      ({ pluginId }: { pluginId: string | null }) => pluginId !== null,
    );
  assert.deepEqual(await skillsOf(ours), await skillsOf(real));
  // Trusted by Parley, trusted by Codex.
  const state = { [hook.key]: { trusted_hash: hook.currentHash } };
  await ours.call("config/batchWrite", { edits: [{ keyPath: "hooks.state", value: state, mergeStrategy: "upsert" }] });
  const again = await new Side(t, folder, codex.program).open();
  for (const side of [ours, again]) assert.equal((await hooksOf(side))[0].trustStatus, "trusted");
  // Removed and reinstalled by Parley: Codex finds the same.
  await ours.call("plugin/uninstall", { pluginId: "demo@mk" });
  await ours.call("plugin/install", plugin);
  const last = await new Side(t, folder, codex.program).open();
  assert.deepEqual(await last.call("plugin/installed"), await ours.call("plugin/installed"));
  assert.equal((await hooksOf(last))[0].currentHash, hook.currentHash);
});
