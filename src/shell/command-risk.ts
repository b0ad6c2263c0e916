/** A rough word on how much a command could do, for the person who is asked. Never for a decision. */
import path from "node:path";
import type { CommandAction } from "../protocol/item.ts";
import type { CommandLine } from "./command-line.ts";

/** Programs that delete, talk to the network, change the machine or run as somebody else. */
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

/** Low: only reads. Medium: writes, as far as the sandbox lets it. High: deletes, uses the network, or changes more than files. */
export function commandRisk(line: CommandLine, actions: readonly CommandAction[]): Risk {
  if (actions.every((action) => action.type !== "unknown")) return "low";
  if (line.commands === undefined) return opaqueRisk(line.script ?? line.display);
  if (line.commands.some(isHigh)) return "high";
  return line.commands.every(isReader) ? "low" : "medium";
}

function isHigh(words: readonly string[]): boolean {
  const program = path.posix.basename(words[0] ?? "");
  const verb = words.slice(1).find((word) => !word.startsWith("-")) ?? "";
  if (high.has(program)) return true;
  if (program === "git") return gitVerbs.has(verb);
  if (program === "find") return words.some((word) => /^-(delete|exec|execdir|ok|okdir)$/.test(word));
  // A program that starts another one is as risky as that.
  if (["env", "nohup", "nice", "timeout", "time", "xargs", "command", "exec", "stdbuf", "setsid"].includes(program))
    return words.slice(1).some((_, i) => isHigh(words.slice(i + 1)));
  return installers.has(program) && networkVerbs.has(verb);
}

function isReader(words: readonly string[]): boolean {
  const [program = "", verb = ""] = words;
  if (program === "git") return gitReaders.has(verb) && !words.some((word) => word.startsWith("--output") || word.startsWith("--ext-diff"));
  return readers.has(program) && !words.some((word) => word === "-o" || word.startsWith("--output"));
}

/** Looks for any risky name in a text that was not understood. */
function opaqueRisk(text: string): Risk {
  const words = text.split(/[\s;&|()<>{}`"'$=]+/).map((word) => path.posix.basename(word));
  const isRisky = words.some(
    (word, i) =>
      high.has(word) ||
      (word === "git" && gitVerbs.has(words[i + 1] ?? "")) ||
      (installers.has(word) && networkVerbs.has(words[i + 1] ?? "")),
  );
  return isRisky ? "high" : "medium";
}

function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/));
}
