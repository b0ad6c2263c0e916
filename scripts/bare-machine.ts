/**
 * Runs a command as on a machine without Parley's optional programs: `node scripts/bare-machine.ts npm test -- src/exec`.
 * Programs are looked up in system folders, so a changed PATH would not hide them: they are removed in an overlay over those
 * folders, in a mount namespace that ends with the command. The temp folder is empty there. Linux only.
 */
import { spawn } from "node:child_process";
import { realpathSync } from "node:fs";

/** What `scripts/setup-debian.sh` installs, except git, which a checkout needs, and chromium, which drives the page. */
export const hiddenPrograms = ["bwrap", "rg", "tmux", "zsh", "fish"] as const;
const programFolders = ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/sbin"];

/** The command line that runs `command` with the programs hidden. An ordinary user needs user namespaces for it. */
export function bareCommand(command: readonly string[]): readonly string[] {
  const folders = [...new Set(programFolders.flatMap(realFolder))];
  const script = [
    "set -e",
    // The overlays' changes are kept in memory, below the temp folder that the command sees.
    "mount -t tmpfs -o mode=755 tmpfs /tmp",
    ...folders.flatMap((folder, i) => [
      `mkdir "/tmp/upper${i}" "/tmp/work${i}"`,
      `mount -t overlay -o "lowerdir=${folder},upperdir=/tmp/upper${i},workdir=/tmp/work${i}" overlay ${folder}`,
      `rm -f ${hiddenPrograms.map((name) => `${folder}/${name}`).join(" ")}`,
    ]),
    "mount -t tmpfs -o mode=1777 tmpfs /tmp",
    "unset TMPDIR",
    'exec "$@"',
  ].join("\n");
  const namespaces = process.getuid?.() === 0 ? ["--mount"] : ["--mount", "--map-root-user"];
  return ["unshare", ...namespaces, "--propagation", "private", "sh", "-c", script, "bare-machine", ...command];
}

function realFolder(folder: string): string[] {
  try {
    return [realpathSync(folder)];
  } catch {
    return [];
  }
}

if (import.meta.main) {
  const [program = "", ...args] = bareCommand(process.argv.slice(2));
  const child = spawn(program, args, { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`bare-machine: ${error.message}`);
    process.exitCode = 1;
  });
  child.on("close", (code) => {
    process.exitCode = code ?? 1;
  });
}
