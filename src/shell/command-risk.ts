/** Roughly estimates how much damage a command could do, as a hint for the person who approves it. Never used for a decision. */
import path from "node:path";
import { setOf } from "../lib/set-of.ts";
import type { CommandAction } from "../protocol/item.ts";
import type { CommandLine } from "./command-line.ts";

/** Programs that delete, use the network, change the machine or run as another user. */
const high = setOf(
  `rm rmdir unlink shred dd truncate mkfs fdisk wipefs kill killall pkill reboot shutdown halt curl wget ssh scp sftp
   rsync nc ncat socat telnet ftp ping dig nslookup aria2c sudo su doas pkexec chroot mount umount systemctl service
   crontab at launchctl chown chmod docker podman kubectl helm terraform aws gcloud az gh apt apt-get dnf yum pacman apk
   brew pip pip3 pipx npx bunx uvx eval`,
);
const installers = setOf("npm pnpm yarn bun cargo go gem bundle composer uv poetry deno");
const networkVerbs = setOf("install i ci add update upgrade publish get fetch sync exec dlx x login push yank");
const gitVerbs = setOf("push pull fetch clone clean reset rebase filter-branch gc remote submodule rm restore checkout");
const readers = setOf(
  `ls cat head tail nl grep pwd whoami uname true false wc stat file date id hostname which echo printf sort uniq cut tr
   diff cmp basename dirname realpath test`,
);
const gitReaders = setOf("status log diff show blame rev-parse describe shortlog ls-tree cat-file ls-files grep");

export type Risk = "low" | "medium" | "high";

/** Low: only reads. Medium: writes, within the sandbox. High: deletes, uses the network, or changes more than files. */
export function commandRisk(line: CommandLine, actions: readonly CommandAction[]): Risk {
  if (actions.every((action) => action.type !== "unknown")) return "low";
  if (line.commands === undefined) return opaqueRisk(line.script ?? line.display);
  if (line.commands.some(isHigh)) return "high";
  return line.commands.every(isReader) ? "low" : "medium";
}

function isHigh(argv: readonly string[]): boolean {
  const program = path.posix.basename(argv[0] ?? "");
  const verb = argv.slice(1).find((arg) => !arg.startsWith("-")) ?? "";
  if (high.has(program)) return true;
  if (program === "git") return gitVerbs.has(verb);
  if (program === "find") return argv.some((arg) => /^-(delete|exec|execdir|ok|okdir)$/.test(arg));
  // A wrapper program is as risky as the program that it starts.
  if (["env", "nohup", "nice", "timeout", "time", "xargs", "command", "exec", "stdbuf", "setsid"].includes(program))
    return argv.slice(1).some((_, i) => isHigh(argv.slice(i + 1)));
  return installers.has(program) && networkVerbs.has(verb);
}

function isReader(argv: readonly string[]): boolean {
  const [program = "", verb = ""] = argv;
  if (program === "git") return gitReaders.has(verb) && !argv.some((arg) => arg.startsWith("--output") || arg.startsWith("--ext-diff"));
  return readers.has(program) && !argv.some((arg) => arg === "-o" || arg.startsWith("--output"));
}

/** Looks for any risky program name in a script that could not be parsed. */
function opaqueRisk(text: string): Risk {
  const tokens = text.split(/[\s;&|()<>{}`"'$=]+/).map((token) => path.posix.basename(token));
  const isRisky = tokens.some(
    (token, i) =>
      high.has(token) ||
      (token === "git" && gitVerbs.has(tokens[i + 1] ?? "")) ||
      (installers.has(token) && networkVerbs.has(tokens[i + 1] ?? "")),
  );
  return isRisky ? "high" : "medium";
}
