import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, test } from "node:test";
import { noBubblewrap } from "../testing.ts";

const shared = ["-U", "-r", "-m", "sh", "-c", 'mount --make-rshared / && exec "$0" "$@"'];
const noSharing = noBubblewrap || (spawnSync("unshare", [...shared, "true"]).status === 0 ? false : "needs unshare(1)");

describe("mounts of the machine", { skip: noSharing }, () => {
  test("a disk that is mounted while a command runs does not appear in its sandbox", () => {
    // A server of its own, in a space where mounts can be made and are shared, as they are on most machines.
    const program = `
      import { spawnSync } from "node:child_process";
      import { mkdirSync, readdirSync } from "node:fs";
      import { openBench } from ${JSON.stringify(path.join(import.meta.dirname, "../testing.ts"))};
      const bench = openBench();
      for (const policy of [{ type: "readOnly" }, { type: "workspaceWrite" }]) {
        const disk = bench.outside + "/disk-" + policy.type;
        mkdirSync(disk);
        const running = await bench.start(["/bin/bash", "-c", "read x; touch " + disk + "/written; ls " + disk + "; echo END"], { stdin: "open", policy });
        const up = spawnSync("mount", ["-t", "tmpfs", "none", disk]);
        if (up.status !== 0) console.log("NO MOUNT", String(up.stderr));
        spawnSync("touch", [disk + "/there"]);
        running.write("\\n");
        await running.exit;
        console.log(policy.type, readdirSync(disk).join(), running.output().replace(/^touch:.*\\n/m, "").trim());
        spawnSync("umount", [disk]);
      }
      await bench.close();`;
    const { stdout, stderr } = spawnSync("unshare", [...shared, process.execPath, "--input-type=module", "-e", program], {
      encoding: "utf8",
    });
    assert.equal(stdout, "readOnly there END\nworkspaceWrite there END\n", stderr);
  });
});
