/**
 * A small helper process that outlives the server: a shell that waits for the pipe from the server to close, then ends the commands that
 * are still running and removes what sandboxes created. It runs an inline script with a fixed PATH and loads no files.
 */
import type { ChildProcess } from "node:child_process";
import { findSystemProgram } from "../lib/program.ts";
import { spawnSealed } from "./descriptors.ts";
import { markName } from "./processes.ts";
import type { Leftovers } from "./sandbox/platform-sandbox.ts";

export interface WatchedCommand {
  readonly id: string;
  /** Known once the process has started. */
  pid: number | undefined;
  /** Which processes are ended: its session, without processes that left it on purpose; all that carry its mark; or both. */
  readonly ends: "as session" | "as marked" | "as both";
}

/** What must be cleaned up if the server dies now. */
export interface JanitorWork extends Leftovers {
  readonly pipeFolder: string | undefined;
  /** Marks of sandboxes that wait for a command: the helper knows them before they have one. */
  readonly waiting: readonly string[];
}

/**
 * Each line from the server is the complete state; the last one counts. Fields of a line: `m:ID` all processes with the mark of a command
 * (a sandbox, which must end as a whole, or a command whose pid is not known yet); `s:PID` a session; `l:NAME` the lease file to remove
 * together with each `d:PATH`, a folder that is removed if it contains only lease files of dead servers; `r:PATH` a folder of unused pipes
 * (paths are escaped for printf %b). A sandbox is found by its mark, not by its pid: if it is killed during setup, its outer process may
 * leave the inner one behind.
 */
const script = `
trap '' HUP INT QUIT TERM
last=$(tail -n 1)
exec 2>/dev/null
marked() { grep -lsF "${markName}=$1" /proc/[0-9]*/environ | sed 's,^/proc/,,;s,/environ$,,'; }
members() {
  for f in /proc/[0-9]*/stat; do
    IFS= read -r stat <"$f" || continue
    set -- "$1" \${stat##*) }
    [ "$2" != Z ] && { [ "$4" = "$1" ] || [ "$5" = "$1" ]; } || continue
    f=\${f#/proc/}; echo "\${f%/stat}"
  done
}
for w in $last; do case $w in
  s:*) kill -TERM "-\${w#s:}" $(members "\${w#s:}"); kill -CONT "-\${w#s:}";;
esac; done
quiet=0 round=0
while [ $quiet -lt 3 ] && [ $round -lt 30 ]; do
  busy=
  for w in $last; do case $w in
    m:*) p=$(marked "\${w#m:}"); [ -z "$p" ] || { busy=1; kill -KILL $p; };;
    s:*) p=$(members "\${w#s:}"); [ -n "$p" ] || kill -0 "-\${w#s:}" || continue
      busy=1; [ $round -lt 10 ] || kill -KILL "-\${w#s:}" $p;;
  esac; done
  [ -n "$busy" ] && quiet=0 || quiet=$((quiet + 1))
  round=$((round + 1))
  sleep 0.2
done
for w in $last; do case $w in
  l:*) lease=\${w#l:};;
  d:*) p=$(printf '%b' "\${w#d:}"); rm -f -- "$p/$lease"
    space=\${lease%-*-*-*}
    for f in "$p/$space"-*; do n=\${f##*/"$space"-}; [ -d "/proc/\${n%%-*}" ] || rm -f -- "$f"; done
    rmdir -- "$p";;
  r:*) p=$(printf '%b' "\${w#r:}"); rm -f -- "$p"/pipe-*; rmdir -- "$p";;
esac; done
`;

const forgetAfterMs = 20;

export class Janitor {
  readonly #commands = new Set<WatchedCommand>();
  readonly #leftovers: () => JanitorWork;
  readonly #open: () => readonly number[];
  #child: ChildProcess | undefined;
  #lastLine = "";
  #soon: NodeJS.Timeout | undefined;

  /** `open` are the file descriptors of the server that the helper must not inherit. */
  constructor(leftovers: () => JanitorWork, open: () => readonly number[]) {
    this.#leftovers = leftovers;
    this.#open = open;
  }

  /** Starts the helper while something else is waited for, so that no command waits for it. */
  prepare(): void {
    if (this.#child === undefined) this.update();
  }

  /** Call this before the command is started; `update` adds the pid. */
  watch(command: WatchedCommand): void {
    this.#commands.add(command);
    this.update();
  }

  /** Sent a moment later, or with the next command: a pid is not reused that soon. */
  forget(command: WatchedCommand): void {
    if (this.#commands.delete(command)) this.#soon ??= setTimeout(() => this.update(), forgetAfterMs).unref();
  }

  /**
   * Sends the current state to the helper. Written immediately, so that the helper has it even if the server is killed right afterwards.
   */
  update(): void {
    clearTimeout(this.#soon);
    this.#soon = undefined;
    const { folders, lease, pipeFolder, waiting } = this.#leftovers();
    const commands = [...this.#commands];
    const marked = commands.filter(({ pid, ends }) => ends !== "as session" || pid === undefined).map(({ id }) => id);
    const sessions = commands.filter(({ pid, ends }) => ends !== "as marked" && pid !== undefined);
    // Sorted: one that stops waiting since it becomes a command is no news.
    const fields = [...new Set([...marked, ...waiting])].sort().map((id) => `m:${id}`);
    fields.push(...sessions.map(({ pid }) => `s:${pid}`));
    if (folders.length > 0) fields.push(`l:${lease}`, ...folders.map((folder) => `d:${escapeForPrintf(folder)}`));
    if (pipeFolder !== undefined) fields.push(`r:${escapeForPrintf(pipeFolder)}`);
    const line = fields.join(" ");
    if (line === this.#lastLine && this.#child !== undefined) return;
    this.#lastLine = line;
    this.#helper()?.stdin?.write(`${line}\n`);
  }

  /** Ends the helper; it has nothing to do if all commands have ended. */
  close(): void {
    if (this.#soon !== undefined) this.update();
    this.#child?.stdin?.end();
    this.#child = undefined;
  }

  #helper(): ChildProcess | undefined {
    if (this.#child !== undefined) return this.#child;
    const shell = findSystemProgram("sh");
    if (shell === undefined) return undefined;
    const options = { cwd: "/", env: { PATH: "/usr/bin:/bin" }, stdio: ["pipe", "ignore", "ignore"], detached: true } as const;
    const child = spawnSealed(shell, ["-c", script, "parley-janitor"], options, this.#open());
    child.on("error", () => undefined);
    // Something killed the helper: the next update starts another one and sends the complete state.
    child.on("exit", () => {
      if (this.#child === child) this.#child = undefined;
    });
    child.stdin?.on("error", () => undefined);
    child.unref();
    if (child.stdin !== null && "unref" in child.stdin && typeof child.stdin.unref === "function") child.stdin.unref();
    this.#child = child;
    return child;
  }
}

/** An argument that no shell expands and that `printf %b` turns back into the path. */
function escapeForPrintf(text: string): string {
  if (/^[\w./@+-]*$/.test(text)) return text;
  const escaped = (byte: number): string => `\\0${byte.toString(8).padStart(3, "0")}`;
  return [...Buffer.from(text)]
    .map((byte) => (/[\w./@+-]/.test(String.fromCharCode(byte)) && byte < 0x80 ? String.fromCharCode(byte) : escaped(byte)))
    .join("");
}
