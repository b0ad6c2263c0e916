/** Marketplaces and what they offer: listing, installing and removing, from folders and repositories, including hostile ones. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { verifies } from "../../support/verifies.ts";
import {
  catalogue,
  market,
  plainPlugin,
  serveRepository,
  serverEntry,
  skillNames,
  skillText,
  under,
  warningsOf,
  writeFiles,
} from "./stage.ts";

const here = { legs: ["memory"] as const };
verifies(
  "plugin.install",
  async ({ app, home, workspace }) => {
    const place = path.join(workspace, "mk");
    const hooks = { hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] } };
    const full = {
      ...plainPlugin(),
      ".mcp.json": { mcpServers: { fx: serverEntry() } },
      "hooks/hooks.json": hooks,
      "run.sh": "#!/bin/sh\n",
    };
    const file = market(place, [{ name: "demo", source: "./demo", category: "Tools" }], under("demo", full));
    execFileSync("chmod", ["+x", path.join(place, "demo/run.sh")]);
    const client = await app();
    assert.deepEqual(await client.call("plugin/list", {}), { marketplaces: [], marketplaceLoadErrors: [], featuredPluginIds: [] });
    const added = await client.call("marketplace/add", { source: place });
    assert.deepEqual(added, { marketplaceName: "mk", installedRoot: place, alreadyAdded: false });
    assert.equal((await client.call("marketplace/add", { source: place })).alreadyAdded, true);
    const before = await client.call("plugin/list", {});
    const [offer] = before.marketplaces[0]?.plugins ?? [];
    assert.deepEqual(
      [offer?.id, offer?.installed, offer?.enabled, offer?.localVersion, offer?.interface?.displayName, offer?.interface?.category],
      ["demo@mk", false, false, "1.2.0", "Demo Plug", "Tools"],
    );
    const { plugin } = await client.call("plugin/read", { pluginName: "demo", marketplacePath: file });
    assert.deepEqual(
      [plugin.description, plugin.skills.map(({ name }) => name), plugin.mcpServers, plugin.hooks],
      ["A demo.", ["demo:greet"], ["fx"], [{ key: "demo@mk:hooks/hooks.json:stop:0:0", eventName: "stop" }]],
    );
    const changed = new Promise<void>((resolve) => client.on("skills/changed", () => resolve()));
    assert.deepEqual(await client.call("plugin/install", { pluginName: "demo", marketplacePath: file }), {
      authPolicy: "ON_INSTALL",
      appsNeedingAuth: [],
    });
    await changed;
    const root = path.join(home, "plugins/cache/mk/demo/1.2.0");
    assert.ok((statSync(path.join(root, "run.sh")).mode & 0o100) !== 0, "programs stay programs");
    assert.deepEqual(await skillNames(client, workspace), ["demo:greet"]);
    assert.match(readFileSync(path.join(home, "config.toml"), "utf8"), /\[plugins\."demo@mk"\]\nenabled = true/);
    const installed = await client.call("plugin/installed", {});
    assert.deepEqual(
      installed.marketplaces.map(({ plugins }) => plugins.map(({ id, installed: is, enabled }) => [id, is, enabled])),
      [[["demo@mk", true, true]]],
    );
    assert.equal((await client.call("plugin/search", { searchTerm: "DEMO plug" })).data[0]?.plugin.id, "demo@mk");
    const nothing = { changedPlugins: [], failedRemotePluginIds: [], failedMaterializationRemotePluginIds: [] };
    assert.deepEqual(await client.call("plugin/reconcile", {}), nothing);
    // A newer version replaces the old one, and installing it counts as accepting its contents.
    writeFiles(path.join(place, "demo"), { ...plainPlugin("demo", "1.10.0"), "skills/part/SKILL.md": skillText("part", "x") });
    await client.call("plugin/install", { pluginName: "demo", marketplacePath: file });
    assert.equal(existsSync(root), false);
    assert.deepEqual(await skillNames(client, workspace), ["demo:greet", "demo:part"]);
    assert.deepEqual(await client.call("plugin/uninstall", { pluginId: "demo@mk" }), {});
    assert.deepEqual(await skillNames(client, workspace), []);
    assert.equal(existsSync(path.dirname(root)), false);
    assert.doesNotMatch(readFileSync(path.join(home, "config.toml"), "utf8"), /demo@mk/);
    assert.deepEqual(await client.call("plugin/uninstall", { pluginId: "demo@mk" }), {}, "taking away what is gone is no error");
    assert.deepEqual(await client.call("marketplace/remove", { marketplaceName: "mk" }), { marketplaceName: "mk", installedRoot: null });
    assert.deepEqual((await client.call("plugin/list", { cwds: [place] })).marketplaces.length, 1, "a folder's own marketplace");
  },
  here,
);

verifies(
  "plugin.refusals",
  async ({ app, home, workspace }) => {
    const place = path.join(workspace, "mk");
    const outside = path.join(workspace, "outside");
    writeFiles(outside, plainPlugin("out"));
    const offers = [
      { name: "closed", source: "./demo", policy: { installation: "NOT_AVAILABLE" } },
      { name: "gone", source: "./gone" },
      { name: "other", source: "./demo" },
      { name: "out", source: "./link" },
      ...["", "../x", "--x", "a/b", "@a", "@../x", ".hidden", "x y"].map((name) => ({
        name: "packed",
        source: { source: "npm", package: name },
      })),
      ...["file:../x", "git+ssh://x", "..", "--x"].map((version) => ({ name: "packed", source: { source: "npm", package: "p", version } })),
      ...["http://example.invalid", "https://u:p@example.invalid", "https://example.invalid/?x", "--x"].map((registry) => ({
        name: "packed",
        source: { source: "npm", package: "p", registry },
      })),
      { name: "version", source: "./version" },
      { name: "climbs", source: "../outside" },
      { name: "../up", source: "./demo" },
      { name: "option", source: { source: "url", url: "--upload-pack=touch x" } },
      { name: "ext", source: { source: "url", url: "ext::sh -c true" } },
      { name: "ref", source: { source: "url", url: "https://example.invalid/x", ref: "--upload-pack=x" } },
      { name: "host", source: { source: "url", url: "ssh://-oProxyCommand=x/y" } },
      { name: "sub", source: { source: "git-subdir", url: "https://example.invalid/x", path: "a/../../b" } },
      7,
    ];
    const file = market(place, offers as object[], {
      ...under("demo", plainPlugin()),
      ...under("version", plainPlugin("version", "../../x")),
    });
    symlinkSync(outside, path.join(place, "link"));
    const client = await app();
    await client.call("marketplace/add", { source: place });
    const listed = (await client.call("plugin/list", {})).marketplaces[0]?.plugins.map(({ name }) => name);
    assert.deepEqual(listed, ["closed", "gone", "other", "out", "version"], "what cannot be fetched safely is not offered");
    const install = (pluginName: string, marketplacePath: string | null = file, remoteMarketplaceName: string | null = null) =>
      client.call("plugin/install", { pluginName, marketplacePath, remoteMarketplaceName });
    const refused: [work: Promise<unknown>, expected: RegExp][] = [
      [install("closed"), /plugin `closed` is not available for install in marketplace `mk`/],
      [install("none"), /plugin `none` was not found in marketplace `mk`/],
      [install("gone"), /missing plugin\.json/],
      [install("other"), /plugin\.json name `demo` does not match marketplace plugin name `other`/],
      [install("out"), /is a link that leads out of the marketplace/],
      [install("packed"), /was not found/],
      [install("version"), /invalid plugin version/],
      [install("option"), /was not found/],
      [install("demo", "/none/.agents/plugins/marketplace.json"), /does not exist/],
      [install("demo", path.join(place, "demo/.codex-plugin/plugin.json")), /not in a supported location/],
      [install("demo", null), /requires exactly one of/],
      [install("demo", null, "x"), /chatgpt authentication required/],
      [client.call("plugin/read", { pluginName: "none", marketplacePath: file }), /was not found/],
      [client.call("plugin/uninstall", { pluginId: "../../x@mk" }), /invalid plugin name/],
      [client.call("plugin/uninstall", { pluginId: "x" }), /chatgpt authentication required/],
      [client.call("marketplace/remove", { marketplaceName: "../x" }), /invalid marketplace name/],
      [client.call("marketplace/remove", { marketplaceName: "none" }), /is not configured or installed/],
      [client.call("marketplace/upgrade", { marketplaceName: "mk" }), /is not configured as a Git marketplace/],
      [client.call("marketplace/add", { source: "" }), /must not be empty/],
      [client.call("marketplace/add", { source: "--upload-pack=x" }), /invalid marketplace source format/],
      [client.call("marketplace/add", { source: "file:///x" }), /invalid marketplace source format/],
      [client.call("marketplace/add", { source: "own/repo", refName: "--orphan" }), /is not a branch, tag or commit/],
      [client.call("marketplace/add", { source: "own/repo", sparsePaths: ["../x"] }), /is not a folder in the repository/],
      [client.call("marketplace/add", { source: "ssh://-oProxyCommand=x/y" }), /is not a repository address/],
      [client.call("marketplace/add", { source: outside }), /does not contain a supported manifest/],
      [client.call("marketplace/add", { source: path.join(workspace, "none") }), /failed to resolve/],
      [client.call("marketplace/add", { source: place, refName: "x" }), /--ref is only supported for git/],
    ];
    for (const [work, expected] of refused) await assert.rejects(work, expected);
    assert.equal(existsSync(path.join(home, "plugins/cache")), false, "a refusal leaves nothing behind");
    // A broken catalogue is reported beside those that can be read.
    writeFileSync(file, "{");
    const { marketplaces, marketplaceLoadErrors } = await client.call("plugin/list", {});
    assert.deepEqual([marketplaces, marketplaceLoadErrors?.map(({ marketplacePath }) => marketplacePath)], [[], [file]]);
  },
  here,
);

verifies(
  "plugin.git",
  async ({ app, home, workspace }) => {
    const place = path.join(workspace, "mk");
    const other = path.join(workspace, "other");
    mkdirSync(other);
    writeFiles(other, under("deep/plug", plainPlugin("deep")));
    const second = await serveRepository(other);
    const offers = [
      { name: "demo", source: "./demo" },
      { name: "deep", source: { source: "git-subdir", url: other, path: "deep/plug", ref: "main" } },
      { name: "wrong", source: { source: "url", url: other, sha: "0123456789012345678901234567890123456789" } },
      { name: "told", source: "./told", description: "Told by the catalogue.", version: "3.0.0" },
    ];
    market(place, offers, { ...under("demo", plainPlugin()), ...under("told", { "skills/a/SKILL.md": skillText("a", "x") }) });
    symlinkSync("/etc/hostname", path.join(place, "demo", "link"));
    const repository = await serveRepository(place);
    try {
      const client = await app();
      const warnings: string[] = [];
      client.on("warning", ({ message }) => warnings.push(message));
      const root = path.join(home, ".tmp/marketplaces/mk");
      const added = await client.call("marketplace/add", { source: repository.url, refName: "main" });
      assert.deepEqual(added, { marketplaceName: "mk", installedRoot: root, alreadyAdded: false });
      assert.match(
        readFileSync(path.join(home, "config.toml"), "utf8"),
        /\[marketplaces\.mk\]\nsource_type = "git"\nsource = "http:.*"\nref = "main"/,
      );
      const file = path.join(root, catalogue);
      for (const pluginName of ["demo", "deep", "told"]) await client.call("plugin/install", { pluginName, marketplacePath: file });
      assert.deepEqual(await skillNames(client, workspace), ["deep:greet", "demo:greet", "told:a"]);
      assert.match(warnings.join("\n"), /demo@mk was installed without .*link, which are no files/);
      assert.equal(existsSync(path.join(home, "plugins/cache/mk/demo/1.2.0/link")), false);
      await assert.rejects(client.call("plugin/install", { pluginName: "wrong", marketplacePath: file }), /git checkout failed/);
      const same = await client.call("marketplace/upgrade", {});
      assert.deepEqual(same, { selectedMarketplaces: ["mk"], upgradedRoots: [], errors: [] });
      market(place, [{ name: "demo", source: "./demo" }]);
      repository.publish();
      assert.deepEqual((await client.call("marketplace/upgrade", { marketplaceName: "mk" })).upgradedRoots, [root]);
      assert.deepEqual(
        (await client.call("plugin/list", {})).marketplaces[0]?.plugins.map(({ name }) => name),
        ["demo"],
      );
      const removed = await client.call("marketplace/remove", { marketplaceName: "mk" });
      assert.deepEqual([removed.installedRoot, existsSync(root)], [root, false]);
      assert.deepEqual(await skillNames(client, workspace), ["deep:greet", "demo:greet", "told:a"], "installed plugins stay");
      rmSync(path.join(place, catalogue));
      repository.publish();
      await assert.rejects(client.call("marketplace/add", { source: repository.url }), /does not contain a supported manifest/);
      assert.deepEqual(warningsOf(client), []);
    } finally {
      repository.close();
      second.close();
    }
  },
  here,
);

verifies("plugin.offerValues", async ({ app, home }) => {
  const place = path.join(home, "market");
  const policy = { installation: "INSTALLED_BY_DEFAULT", authentication: "ON_USE" };
  market(
    place,
    [
      { name: "here", source: "./here", policy },
      { name: "cloned", source: { source: "url", url: "https://example.test/a.git" } },
      { name: "packed", source: { source: "npm", package: "a-plugin" } },
    ],
    under("here", plainPlugin("here")),
  );
  const client = await app();
  await client.call("marketplace/add", { source: place });
  const plugins = (await client.call("plugin/list", {})).marketplaces[0]?.plugins ?? [];
  assert.deepEqual(
    plugins.map(({ name, source }) => [name, source.type]),
    [
      ["here", "local"],
      ["cloned", "git"],
      ["packed", "npm"],
    ],
  );
  assert.deepEqual([plugins[0]?.installPolicy, plugins[0]?.authPolicy], ["INSTALLED_BY_DEFAULT", "ON_USE"]);
});
