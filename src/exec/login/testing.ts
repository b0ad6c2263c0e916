/** For tests of login shells: whether the files that this machine has for everybody allow snapshots at all. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import type { Command, Confinement } from "../../core/ports/command-runner.ts";
import { openBench } from "../testing.ts";
import { LoginSnapshots } from "./login-snapshots.ts";

/** Why tests that need a snapshot cannot run here; false if they can. A plain /etc/profile must allow them. */
export const machineFiles: string | false =
  process.platform !== "linux"
    ? "needs Linux"
    : isPlain() || (await allowSnapshots())
      ? false
      : "needs an /etc/profile that changes nothing but the environment";

function isPlain(): boolean {
  const folder = "/etc/profile.d";
  return existsSync("/etc/debian_version") && !(existsSync(folder) && readdirSync(folder).some((name) => name.endsWith(".sh")));
}

async function allowSnapshots(): Promise<boolean> {
  const home = mkdtempSync("/var/tmp/parley-login-");
  const bench = openBench({ loginSnapshots: () => false });
  const snapshots = new LoginSnapshots((command, within, signal) => bench.runner.start(command, within, signal));
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: path.join(home) };
  const command: Command = { argv: ["bash", "-lc", "true"], cwd: bench.work, env, stdin: "closed" };
  const confinement: Confinement = { policy: { type: "dangerFullAccess" }, workspaceRoots: [] };
  try {
    for (let i = 0; i < 2; i++) {
      const running = await bench.runner.start(command, confinement, new AbortController().signal);
      snapshots.noticed(command, confinement, running);
      await running.exit;
    }
    await snapshots.settled;
    return snapshots.spared(command, confinement) !== undefined;
  } finally {
    snapshots.close();
    await bench.close();
    rmSync(home, { recursive: true, force: true });
  }
}
