/**
 * Runs a command as an ordinary user when started by root: `node scripts/ordinary-user.ts npm test -- src/exec`. The user is new: with a home,
 * a shell and an empty temp folder of their own, in a mount namespace that ends with the command, so that nothing on the machine is changed.
 * For anybody but root the command runs unchanged. Linux only.
 */
import { spawn } from "node:child_process";
import { chownSync, mkdtempSync, rmSync, statSync } from "node:fs";
import path from "node:path";

/** A uid that no system assigns. Not that of `nobody`, which a user namespace shows for every unmapped user, including root. */
const user = 54_321;

/** The command line that runs `command` as an ordinary user whose home is `home`. */
function ordinaryCommand(command: readonly string[], home: string): readonly string[] {
  const closed = closedFolders(process.cwd());
  const script = [
    "set -e",
    "mount -t tmpfs -o mode=755 tmpfs /tmp",
    ...(closed[0] === undefined
      ? []
      : [
          "mkdir /tmp/upper /tmp/work",
          `mount -t overlay -o "lowerdir=${closed[0]},upperdir=/tmp/upper,workdir=/tmp/work" overlay "${closed[0]}"`,
          ...closed.map((folder) => `chmod o+rx "${folder}"`),
          // The current folder, and not the one that the shell entered earlier.
          `cd "${process.cwd()}"`,
        ]),
    `{ cat /etc/passwd; echo "person:x:${user}:${user}::${home}:/bin/bash"; } > /tmp/passwd`,
    "mount --bind /tmp/passwd /etc/passwd",
    "mount -t tmpfs -o mode=1777 tmpfs /tmp",
    `export HOME="${home}" USER=person LOGNAME=person`,
    "unset TMPDIR",
    `exec setpriv --reuid=${user} --regid=${user} --clear-groups -- "$@"`,
  ].join("\n");
  return ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "ordinary-user", ...command];
}

/** The folders on the path to `folder`, including itself, that others may not enter, outermost first. */
function closedFolders(folder: string): readonly string[] {
  const parent = path.dirname(folder);
  const above = parent === folder ? [] : closedFolders(parent);
  return (statSync(folder).mode & 0o005) === 0o005 ? above : [...above, folder];
}

const isRoot = process.getuid?.() === 0;
const home = isRoot ? mkdtempSync("/var/tmp/parley-user-") : undefined;
if (home !== undefined) chownSync(home, user, user);
const given = process.argv.slice(2);
const [program = "", ...args] = home === undefined ? given : ordinaryCommand(given, home);
const child = spawn(program, args, { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`ordinary-user: ${error.message}`);
  process.exitCode = 1;
});
child.on("close", (code) => {
  if (home !== undefined) rmSync(home, { recursive: true, force: true });
  process.exitCode = code ?? 1;
});
