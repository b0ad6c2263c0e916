import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { ownModule } from "../../../lib/own-module.ts";
import { noBubblewrap, testedEngines } from "../../testing.ts";

const ownNode = ownModule(`node-${process.platform}-${process.arch}/bin/node`);
/** Simulates Node 24, whose only relevant difference is that the module is missing. */
const withoutFfi = "--no-experimental-ffi";
const canHide = spawnSync(process.execPath, [withoutFfi, "-p", 'process.getBuiltinModule("node:ffi")'], { encoding: "utf8" });
const cannotHide = canHide.stdout === "undefined\n" ? false : `needs a Node that takes ${withoutFfi}`;
const engines = (await testedEngines()).filter(({ engine }) => engine !== "bubblewrap");

describe("a server on a Node without node:ffi", { skip: process.platform === "linux" ? cannotHide : "needs Linux" }, () => {
  let home = "";
  before(() => {
    home = mkdtempSync("/var/tmp/parley-helper-");
  });
  after(() => rmSync(home, { recursive: true, force: true }));

  const program = (engine: string): string => `
    import { createCommandRunner } from ${JSON.stringify(path.join(import.meta.dirname, "../../spawn.ts"))};
    const runner = createCommandRunner({ codexHome: ${JSON.stringify(home)}, engine: () => ${JSON.stringify(engine)} });
    const command = { argv: ["/bin/sh", "-c", "echo x > ${home}/x; grep ^Seccomp: /proc/self/status"], cwd: "/", env: {}, stdin: "closed" };
    const running = await runner.start(command, { policy: { type: "readOnly" }, workspaceRoots: [] }, new AbortController().signal).catch((error) => console.log(error.message));
    if (running !== undefined) { running.onOutput = (chunk) => process.stdout.write(Buffer.from(chunk)); await running.exit; }
    await runner.close();`;
  const flags = (engine: string): string[] => [withoutFfi, "--input-type=module", "-e", program(engine)];

  for (const { engine, skip } of engines)
    test(`${engine} is reached through the Node that was installed with Parley`, {
      skip: skip || (ownNode === undefined ? "needs the Node of the lockfile (npm ci)" : false),
    }, () => {
      const { stdout, stderr } = spawnSync(process.execPath, flags(engine), { encoding: "utf8", env: { PATH: process.env["PATH"] } });
      assert.match(stdout, /Seccomp:\t2\n/, stderr);
      assert.match(stdout, /Read-only file system|Permission denied/);
    });

  /** In a mount namespace without that Node. The one that runs the test may be the same file: it is opened before. */
  const hidden = 'exec 9<"$1"; mount -t tmpfs none "$2"; shift 2; exec /proc/self/fd/9 "$@"';
  const hide = (engine: string) => {
    const folder = path.dirname(path.dirname(ownNode ?? "/usr/bin/node"));
    return spawnSync("unshare", ["-Urm", "sh", "-c", hidden, "hidden", process.execPath, folder, ...flags(engine)], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"] },
    });
  };

  test("without one, both are refused, naming what to install", {
    skip:
      ownNode === undefined
        ? "needs the Node of the lockfile (npm ci)"
        : spawnSync("unshare", ["-Urm", "true"]).status === 0
          ? false
          : "needs unshare(1)",
  }, () => {
    const reason = `this Node (${process.version}) has no node:ffi: start Parley with Node 26, or install one beside Parley (npm install node-${process.platform}-${process.arch}@26`;
    for (const engine of ["namespaces", "landlock"]) assert.ok(hide(engine).stdout.startsWith(`No sandbox: ${engine}: ${reason}`));
    if (noBubblewrap) assert.ok(hide("auto").stdout.includes(`; namespaces and landlock: ${reason}`), "the reason is given once");
  });
});
