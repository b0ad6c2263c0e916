import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, test } from "node:test";
import { noProtection, testedEngines } from "../testing.ts";

const shared = ["-U", "-r", "-m", "sh", "-c", 'mount --make-rshared / && exec "$0" "$@"'];
const noSharing = noProtection || (spawnSync("unshare", [...shared, "true"]).status === 0 ? false : "needs unshare(1)");

const engines = (await testedEngines()).filter(({ mounts, skip }) => mounts && skip === false);

describe("mounts of the machine", { skip: noSharing }, () => {
  for (const { engine } of engines)
    test(`a disk that is mounted while a command runs does not appear in its sandbox with ${engine}`, () => {
      // A separate server, in a namespace where mounts can be made and are shared, as on most machines.
      const program = `
      import { spawnSync } from "node:child_process";
      import { mkdirSync, readdirSync } from "node:fs";
      import { openBench } from ${JSON.stringify(path.join(import.meta.dirname, "../testing.ts"))};
      const bench = openBench({ engine: ${JSON.stringify(engine)} });
      for (const policy of [{ type: "readOnly" }, { type: "workspaceWrite" }]) {
        const disk = bench.outside + "/disk-" + policy.type;
        mkdirSync(disk);
        const running = await bench.start(["/bin/bash", "-c", "echo up; read x; touch " + disk + "/written; ls " + disk + "; echo END"], { stdin: "open", policy });
        while (!running.output().includes("up")) await new Promise((resolve) => setTimeout(resolve, 5));
        const up = spawnSync("mount", ["-t", "tmpfs", "none", disk]);
        if (up.status !== 0) console.log("NO MOUNT", String(up.stderr));
        spawnSync("touch", [disk + "/there"]);
        running.write("\\n");
        await running.exit;
        console.log(policy.type, readdirSync(disk).join(), running.output().replace(/^up\\n|^touch:.*\\n/gm, "").trim());
        spawnSync("umount", [disk]);
      }
      await bench.close();`;
      const { stdout, stderr } = spawnSync("unshare", [...shared, process.execPath, "--input-type=module", "-e", program], {
        encoding: "utf8",
      });
      assert.equal(stdout, "readOnly there END\nworkspaceWrite there END\n", stderr);
    });
});
