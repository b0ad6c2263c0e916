/** bubblewrap as the engine: the plan becomes the words of its command line. */
import { spawn } from "node:child_process";
import type { WrappedCommand } from "../../../core/ports/command-runner.ts";
import { findSystemProgram } from "../../program.ts";
import { type Mount, wholeDisk } from "../mounts.ts";
import { cutOffWords } from "../propagation.ts";
import type { Engine, Refusal, SandboxPlan } from "./engine.ts";

/** In the order of `extra`. */
const seccompDescriptor = 3;
const optionsDescriptor = 4;
const lifeDescriptor = 5;
/** Where a bubblewrap that is started ahead of its command finds its options; at the usual place it waits for the first of them. */
const laterDescriptor = 6;
/** Variables that a shell which becomes the sandbox may add of its own. */
const shellNames = ["PWD", "OLDPWD", "SHLVL", "_"];
/** bubblewrap takes no more words than this, the command's own included. */
const maxWords = 8_000;

export class BubblewrapEngine implements Engine {
  readonly name = "bubblewrap";
  readonly title = "bubblewrap";
  readonly mounts = true;
  readonly limits = [];
  readonly program = [];
  /** bubblewrap before 0.5 cannot set modes. */
  #canSetModes = true;
  /** What cuts it off from the machine's mounts. */
  #before: readonly string[] = [];

  get makesEmptyFolders(): boolean {
    return this.#canSetModes;
  }

  async probe(filter: Uint8Array): Promise<string | undefined> {
    const bwrap = findSystemProgram("bwrap");
    if (bwrap === undefined) return "bubblewrap (bwrap) is not installed";
    let reason = await tryOut([bwrap], filter, ["--perms", "0555", "--tmpfs", "/tmp"]);
    this.#canSetModes = reason?.includes("--perms") !== true;
    if (!this.#canSetModes) reason = await tryOut([bwrap], filter, []);
    const before = reason === undefined ? cutOffWords() : [];
    // Some systems let bubblewrap make namespaces, and no other program.
    this.#before = before.length > 0 && (await tryOut([...before, bwrap], filter, [])) === undefined ? before : [];
    return reason;
  }

  unusableWith(writable: readonly string[]): string | undefined {
    return findSystemProgram("bwrap", writable) === undefined ? "bubblewrap (bwrap) was not found outside the writable folders" : undefined;
  }

  wrap(plan: SandboxPlan): WrappedCommand | Refusal {
    const bwrap = findSystemProgram("bwrap", plan.writable) ?? "";
    const [disk = wholeDisk, ...mounts] = plan.mounts;
    const options = [
      ...[...namespaces(plan.network), ...(plan.hasTerminal ? [] : ["--new-session"])],
      ...["--seccomp", String(seccompDescriptor), "--sync-fd", String(lifeDescriptor)],
      ...[...mounts.flatMap(wordsOf), "--chdir", plan.cwd],
      ...shellNames.flatMap((name) => ["--unsetenv", name]),
      ...Object.entries(plan.env).flatMap(([name, value]) => ["--setenv", name, value]),
    ];
    if (options.length + plan.argv.length > maxWords)
      return { refused: "No sandbox: the command has too many words or environment variables to be confined" };
    const first = bytesOf(wordsOf(disk));
    return {
      argv: [...this.#before, bwrap, ...readOptions(optionsDescriptor), "--", ...plan.argv],
      cwd: "/",
      // Variables such as LD_LIBRARY_PATH may name folders that commands write: they are for the command, never for bubblewrap itself.
      env: {},
      extra: [plan.filter, Buffer.concat([first, bytesOf(options)])],
      life: lifeDescriptor,
      // Without the disk there is no program to run.
      ahead: {
        kind: "same command",
        argv: [...this.#before, bwrap, ...readOptions(optionsDescriptor), ...readOptions(laterDescriptor), "--", ...plan.argv],
        ...{ waitsAt: optionsDescriptor, wordLength: first.length, readsAt: laterDescriptor },
      },
    };
  }
}

function wordsOf(mount: Mount): string[] {
  const { at } = mount;
  switch (mount.kind) {
    case "bind":
      return [mount.readOnly ? (mount.optional === true ? "--ro-bind-try" : "--ro-bind") : "--bind", mount.from ?? at, at];
    case "memory":
      return ["--tmpfs", at];
    case "empty":
      return ["--perms", "0555", "--tmpfs", at];
    case "devices":
      return ["--dev", at];
    case "processes":
      return ["--proc", at];
    case "link":
      return ["--symlink", mount.to, at];
    case "sealed":
      return ["--remount-ro", at];
  }
}

const readOptions = (descriptor: number): string[] => ["--args", String(descriptor)];
const bytesOf = (options: readonly string[]): Buffer => Buffer.from(options.map((word) => `${word}\0`).join(""));

/** Nothing of the outside is shared: no capability, no process, no message queue, and no network unless it is allowed. */
const namespaces = (network: boolean): string[] => [
  ...["--die-with-parent", "--cap-drop", "ALL", "--unshare-user", "--unshare-pid", "--unshare-ipc"],
  ...(network ? [] : ["--unshare-net"]),
];

/** Runs the smallest sandbox there is. Answers why it failed, or undefined. */
function tryOut([program = "", ...words]: readonly string[], filter: Uint8Array, further: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const base = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc"];
    const options = [...namespaces(false), "--seccomp", String(seccompDescriptor), ...base, ...further];
    const child = spawn(program, [...words, ...options, "--", "/bin/sh", "-c", ":"], {
      cwd: "/",
      env: {},
      stdio: ["ignore", "ignore", "pipe", "pipe"],
      timeout: 10_000,
      killSignal: "SIGKILL",
    });
    let said = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(0, 2_000);
    });
    const input = child.stdio[3];
    if (input !== null && input !== undefined && "end" in input) {
      input.on("error", () => undefined); // bwrap may end before it reads the filter; its own words tell why.
      input.end(filter);
    }
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code) => resolve(code === 0 ? undefined : said.trim().split("\n").at(-1) || `bwrap ended with ${code}`));
  });
}
