import assert from "node:assert/strict";
import { mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Command, CommandRefused, type Confinement } from "../../core/ports/command-runner.ts";
import { type Bench, noSandbox, openBench } from "../testing.ts";
import { LoginShells } from "./login-shells.ts";
import { LoginSnapshots } from "./login-snapshots.ts";
import { machineFiles } from "./testing.ts";

const open = { type: "dangerFullAccess" } as const;
const confined = { type: "workspaceWrite" } as const;
const plain = "export FROM_FILE=one\n";

async function eventually(isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + 30_000;
  while (!(await isTrue())) {
    if (performance.now() > end) assert.fail(`${what} did not come true`);
    await delay(10);
  }
}

describe("snapshots of login shells", { skip: machineFiles }, () => {
  let bench: Bench;
  let user: string;
  let snapshots: LoginSnapshots;
  beforeEach(() => {
    bench = openBench({ loginSnapshots: () => false });
    user = path.join(bench.base, "user");
    mkdirSync(user);
    snapshots = shots();
  });
  afterEach(async () => {
    snapshots.close();
    await bench.close();
  });

  const shots = (keepMs?: number): LoginSnapshots =>
    new LoginSnapshots((command, confinement, signal) => bench.runner.start(command, confinement, signal), keepMs);
  const at = (name: string): string => path.join(user, name);
  /** Old enough that a later change cannot look the same. */
  async function profile(text: string, name = ".profile"): Promise<void> {
    writeFileSync(at(name), text);
    await eventually(() => Date.now() - statSync(at(name)).ctimeMs > 80, "age of the file");
  }
  const within = (policy: Confinement["policy"]): Confinement => ({ policy, workspaceRoots: [bench.work], protectedNames: [] });
  const login = (script: string, more: Partial<Command> = {}): Command => ({
    ...{ argv: ["bash", "-lc", script], cwd: bench.work, stdin: "closed", merged: true },
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: user, LANG: "C.UTF-8", GIVEN: "given" },
    ...more,
  });
  /** As the command runner does it. */
  async function run(
    command: Command,
    policy: Confinement["policy"] = open,
  ): Promise<{ output: string; isSpared: boolean; exitCode: number }> {
    const spared = snapshots.spared(command, within(policy));
    const running = await bench.runner.start(spared ?? command, within(policy), new AbortController().signal);
    let output = "";
    running.onOutput = (chunk) => {
      output += Buffer.from(chunk).toString();
    };
    if (spared === undefined) snapshots.noticed(command, within(policy), running);
    const { exitCode } = await running.exit;
    return { output, exitCode, isSpared: spared !== undefined };
  }
  /** Runs it twice, and once more after the capture. */
  async function afterCapture(command: Command, policy: Confinement["policy"] = open): Promise<ReturnType<typeof run>> {
    const first = await run(command, policy);
    const second = await run(command, policy);
    assert.deepEqual([first.isSpared, second.isSpared], [false, false]);
    await snapshots.settled;
    const third = await run(command, policy);
    assert.equal(third.output, second.output);
    assert.equal(third.exitCode, second.exitCode);
    return third;
  }

  const whole = `env | grep -v PARLEY_COMMAND_ID | sort; echo "$0 $- $# $SHLVL $PWD \${OLDPWD-none}"; shopt; set -o; umask; ulimit -a; declare -f
    declare -p FROM_FILE GIVEN BASH; exit 3`;
  for (const [where, policy, skip] of [["full access", open, false] as const, ["the sandbox", confined, noSandbox] as const])
    test(`commands see the same in ${where}`, { skip }, async () => {
      mkdirSync(at(".local/bin"), { recursive: true });
      await profile(`export FROM_FILE='two
lines' B="a=b c"; unset GIVEN; export GIVEN=changed; if [ -d "$HOME/.local/bin" ]; then PATH="$HOME/.local/bin:$PATH"; fi`);
      for (const name of ["bash", "/bin/bash"]) {
        const { isSpared, exitCode, output } = await afterCapture(login("", { argv: [name, "-lc", whole] }), policy);
        assert.ok(isSpared);
        assert.equal(exitCode, 3);
        assert.match(output, /FROM_FILE=\W{1,2}two(?:\\n|\n)lines/);
        assert.match(output, /login_shell\s+on/);
      }
    });

  test("what a login shell does at its end is still done", async () => {
    await profile(plain);
    writeFileSync(at(".bash_logout"), "echo bye\n");
    const { isSpared, output } = await afterCapture(login("echo work; exit 0"));
    assert.ok(isSpared);
    assert.equal(output, "work\nbye\n");
  });

  test("an edited file counts for the very next command, and is captured anew", async () => {
    await profile(plain);
    const command = login('echo "$FROM_FILE"');
    assert.ok((await afterCapture(command)).isSpared);
    writeFileSync(at(".profile"), plain.replace("one", "two"));
    assert.deepEqual(await run(command), { output: "two\n", exitCode: 0, isSpared: false });
    await eventually(async () => (await run(command)).isSpared, "the new snapshot");
    writeFileSync(at(".bash_profile"), plain.replace("one", "three"));
    assert.deepEqual(await run(command), { output: "three\n", exitCode: 0, isSpared: false });
    rmSync(at(".bash_profile"));
    assert.equal((await run(command)).output, "two\n");
  });

  test("files that the login files source, list, read or ask for are watched", async () => {
    mkdirSync(at("parts"));
    writeFileSync(at("more"), "export FROM_FILE=more\n");
    writeFileSync(at("value"), "first");
    await profile(`. ~/more; for part in ~/parts/*.sh; do if [ -r "$part" ]; then . "$part"; fi; done; unset part
export VALUE=$(cat ~/value); test -e "$HOME/flag" && export FLAG=1 || true; [[ -f here ]] && export HERE=1 || true`);
    const command = login('echo "$FROM_FILE $PART $VALUE $FLAG $HERE"');
    const next = async (expected: string): Promise<void> => {
      await eventually(async () => (await run(command)).isSpared, "a snapshot");
      change();
      assert.deepEqual(await run(command), { output: `${expected}\n`, exitCode: 0, isSpared: false });
    };
    let change = (): void => writeFileSync(at("more"), "export FROM_FILE=less\n");
    await next("less  first  ");
    change = () => writeFileSync(at("parts/new.sh"), "export PART=1\n");
    await next("less 1 first  ");
    change = () => writeFileSync(at("parts/new.sh"), "export PART=2\n");
    await next("less 2 first  ");
    change = () => writeFileSync(at("value"), "other");
    await next("less 2 other  ");
    change = () => mkdirSync(at("flag"));
    await next("less 2 other 1 ");
    change = () => writeFileSync(path.join(bench.work, "here"), "");
    await next("less 2 other 1 1");
    change = () => rmSync(at("flag"), { recursive: true });
    await next("less 2 other  1");
  });

  const changed: Readonly<Record<string, readonly [text: string, change: () => void]>> = {
    "a new file for a pattern in a list": [
      'list=(~/parts/*.sh); export VALUE="${list[*]}"; unset list',
      () => writeFileSync(at("parts/b.sh"), ""),
    ],
    "a new file for a pattern in a function's list": [
      'f() { local -a list=(~/parts/*.sh); export VALUE="${list[*]}"; }; f; unset -f f',
      () => writeFileSync(at("parts/b.sh"), ""),
    ],
    "a new file for a pattern in a variable": [
      "all=~/parts/*.sh; for part in $all; do export VALUE=$part; done; unset all part",
      () => writeFileSync(at("parts/b.sh"), ""),
    ],
    "a new file for a pattern in a variable of a loop": [
      'for all in "$HOME/parts/*.sh"; do export VALUE="$(echo $all)"; done; unset all',
      () => writeFileSync(at("parts/b.sh"), ""),
    ],
    "a new file for a pattern in arguments": [
      'all="$HOME/parts/*.sh"; set -- $all; export VALUE=$#; set --; unset all',
      () => writeFileSync(at("parts/b.sh"), ""),
    ],
    "a file that a condition asks for by a name with spaces": [
      'name=~/"a file"; [[ -f $name ]] && export VALUE=1 || export VALUE=0; unset name',
      () => writeFileSync(at("a file"), ""),
    ],
    "a file above a folder that is reached through a link": [
      "[ -e ~/link/../file ] && export VALUE=1 || export VALUE=0",
      () => writeFileSync(at("folder/file"), ""),
    ],
    "a link to nothing": ["[ -L ~/nowhere ] && export VALUE=1 || export VALUE=0", () => rmSync(at("nowhere"))],
    "a program of one's own that comes before the system's": [
      'PATH="$HOME/bin:$PATH"; export VALUE=$(uname)',
      () => writeFileSync(at("bin/uname"), "#!/bin/sh\necho mine\n", { mode: 0o755 }),
    ],
  };
  for (const [what, [text, change]] of Object.entries(changed))
    test(`no snapshot outlives a change: ${what}`, async () => {
      for (const name of ["parts", "bin", "folder/inside"]) mkdirSync(at(name), { recursive: true });
      writeFileSync(at("parts/a.sh"), "");
      symlinkSync(at("folder/inside"), at("link"));
      symlinkSync(at("gone"), at("nowhere"));
      await profile(`${text}\n`);
      const command = login('echo "$VALUE"');
      const { output } = await afterCapture(command);
      change();
      const next = await run(command);
      assert.notEqual(next.output, output);
      assert.equal(next.isSpared, false);
    });

  test("a snapshot ends with the folder that a link to the working folder leads to", async () => {
    await profile("export VALUE=$(pwd -P)");
    const link = at("link");
    symlinkSync(bench.work, link);
    const command = login('echo "$VALUE"', { cwd: link });
    assert.equal((await afterCapture(command)).output, `${bench.work}\n`);
    rmSync(link);
    symlinkSync(bench.outside, link);
    assert.equal((await run(command)).output, `${bench.outside}\n`);
  });

  test("a file that the search for bash would find first ends a snapshot", async () => {
    mkdirSync(at("bin"));
    await profile(plain);
    const command = login("echo real", { env: { PATH: `${at("bin")}:/usr/bin:/bin`, HOME: user } });
    assert.ok((await afterCapture(command)).isSpared);
    writeFileSync(at("bin/bash"), "#!/bin/sh\necho other\n", { mode: 0o755 });
    assert.equal((await run(command)).output, "other\n");
  });

  const needed: Readonly<Record<string, string>> = {
    "defines a function": "hello() { echo hello; }",
    "sets a variable of the shell": "HELLO=1",
    "sets an option": "shopt -s extglob",
    "sets an option by set": "set -o pipefail",
    "sets the umask": "umask 077",
    "sets a limit": "ulimit -n 200",
    "sets a trap": "trap 'echo trapped' EXIT",
    "sets an alias": "alias hello=true",
    "opens a file": "exec 7</dev/null",
    "leaves its folder": "cd /",
    prints: "echo hello",
    "prints an error": "echo hello >&2",
    "writes a file": "echo hello > ~/written",
    "empties a file": "> ~/written",
    "writes a file in a group": "{ true; } > ~/written",
    "reads a file whose name is only known when it runs":
      "name=x; while read -r line; do export $line; done < ~/$name-values; unset name line",
    "starts something": "sleep 0.01 &",
    "runs a program": "export NOW=$(date +%Y)",
    "expands a text as a prompt": `text='\\D{%Y-%m-%d %H}'; export NOW="\${text@P}"; unset text`,
    "is random": "export NUMBER=$RANDOM",
    "is random inside an eval": `export NUMBER=$(od -An -N4 -tu4 /dev/urandom)`,
    "names its process": "export NUMBER=$$",
    "names its process in braces": "export NUMBER=${$}",
    "looks at the script": 'case "$BASH_EXECUTION_STRING" in *hello*) export HELLO=1;; esac',
    "turns off the trace": "set +x; export NOW=$(date +%N)",
    "sends the trace elsewhere": "BASH_XTRACEFD=2; unset BASH_XTRACEFD; export NOW=$(date +%Y)",
    "lists files of a folder that is only known when it runs": "dir=~; for name in $dir/*; do export NAME=$name; done; unset dir name",
    "has a function by the name of a program that it runs": "false && { date() { :; }; } || true; export NOW=$(date +%Y)",
    "exports a function, which a shell that sets limits before it would have too": "ulimit() { :; }; export -f ulimit",
    "changes how programs are started": "export LD_LIBRARY_PATH=/nonexistent",
    "ends with an error": "false",
    "has bytes that are not text": "export BYTES=$'\\xff'",
    "is not finished": "if true; then",
    "is so long that nothing else could be done while it is looked through": "# comment\n".repeat(10_000),
    "has a word that takes as long": `false && echo ${"{".repeat(5_000)} || true`,
  };
  for (const [what, text] of Object.entries(needed))
    test(`the login files stay in use: one ${what}`, async () => {
      writeFileSync(at("x-values"), "A=1\n");
      await profile(`${text}\n`);
      assert.equal(
        (await afterCapture(login("pwd; umask; alias; declare -F; shopt extglob; [ -e ~/written ] && rm ~/written; true"))).isSpared,
        false,
      );
    });

  test("files that change nothing but the environment are spared, in the forms of distributions", async () => {
    mkdirSync(at("parts"));
    writeFileSync(at("parts/a.sh"), "export PART=part");
    await profile(`pathmunge () { case ":$PATH:" in *:"$1":*) ;; *) if [ "$2" = "after" ]; then PATH=$PATH:$1; else PATH=$1:$PATH; fi ;; esac; }
if [ "$(id -u)" -ge 0 ]; then pathmunge /usr/sbin; pathmunge /opt/tool/bin after; fi
for part in "$HOME"/parts/*.sh ~/parts/*.bash; do if [ -r $part ]; then . $part; fi; done; unset part
case $- in *i*) ;; *) INTERACTIVE= ;; esac
eval "$(printf 'export SHELLENV=%s' 1)"
mesg n 2> /dev/null || true
export PATH; umask "$(umask)"; unset INTERACTIVE; unset -f pathmunge`);
    const { isSpared, output } = await afterCapture(login("echo $PATH $SHELLENV $PART"));
    assert.ok(isSpared);
    assert.match(output, / 1 part\n$/);
  });

  test("only commands of exactly the same kind share a snapshot", { skip: noSandbox }, async () => {
    await profile(plain);
    const command = login("true");
    assert.ok((await afterCapture(command, confined)).isSpared);
    const isSpared = (other: Command, confinement: Confinement): boolean => snapshots.spared(other, confinement) !== undefined;
    const same = within(confined);
    assert.ok(isSpared(login("false"), same));
    assert.ok(isSpared({ ...command, stdin: "open", argv: ["bash", "-cl", "ls"] }, same));
    const others: readonly (readonly [Command, Confinement])[] = [
      [command, within(open)],
      [command, within({ type: "readOnly" })],
      [command, within({ ...confined, networkAccess: true })],
      [command, { ...same, workspaceRoots: [bench.work, bench.outside] }],
      [command, { ...same, protectedNames: ["x"] }],
      [command, { ...same, limits: { openFiles: 100 } }],
      [{ ...command, cwd: bench.outside }, same],
      [{ ...command, env: { ...command.env, MORE: "1" } }, same],
      [{ ...command, tty: { cols: 80, rows: 24 } }, same],
      [{ ...command, argv: ["/bin/bash", "-lc", "true"] }, same],
      [{ ...command, argv: ["bash", "-c", "true"] }, same],
      [{ ...command, argv: ["sh", "-lc", "true"] }, same],
      [{ ...command, argv: ["bash", "-lc", "true", "name"] }, same],
    ];
    for (const [other, confinement] of others) assert.equal(isSpared(other, confinement), false, JSON.stringify([other, confinement]));
  });

  test("a capture has no wider rights than the command", { skip: noSandbox }, async () => {
    const outside = path.join(bench.outside, "escaped");
    await profile(`echo x 2>/dev/null > ${outside} || true; export FROM_FILE=one`);
    await afterCapture(login("true"), confined);
    assert.throws(() => statSync(outside), /ENOENT/);
  });

  async function nothingEscapes(text: string, env: Readonly<Record<string, string>>, prints: string): Promise<void> {
    const escaped = path.join(bench.outside, "escaped");
    await profile(text);
    const command = login(`echo "$HOME:$TMPDIR"; : > ${escaped}`, { env: { PATH: "/usr/bin:/bin", HOME: user, ...env } });
    for (let i = 0; i < 4; i++) {
      const { output } = await run(command, confined);
      await snapshots.settled;
      assert.ok(output.startsWith(`${prints}\n`), output);
    }
    assert.throws(() => statSync(escaped), /ENOENT/);
  }
  test("a TMPDIR that login files set makes nothing writable", { skip: noSandbox }, () =>
    nothingEscapes(`export TMPDIR=${bench.outside}`, {}, `${user}:${bench.outside}`),
  );
  test("a HOME that login files set makes nothing writable", { skip: noSandbox }, async () => {
    // A TMPDIR that holds the home is not made writable.
    user = path.join(bench.outside, "user");
    mkdirSync(user);
    await nothingEscapes("export HOME=/nonexistent", { TMPDIR: bench.outside }, `/nonexistent:${bench.outside}`);
  });

  test("files that change with each command are not captured with each command", async () => {
    let captures = 0;
    snapshots = new LoginSnapshots((command, confinement, signal) => {
      if (command.argv.some((arg) => arg.includes("set -x"))) captures++;
      return bench.runner.start(command, confinement, signal);
    });
    await profile("[ -e ~/changed ] && . ~/changed; export FROM_FILE=one");
    const command = login("echo >> ~/changed");
    for (let i = 0; i < 30; i++) {
      assert.equal((await run(command)).exitCode, 0);
      await snapshots.settled;
    }
    assert.ok(captures > 0 && captures < 10, String(captures));
  });

  test("a snapshot expires", async () => {
    await profile(plain);
    snapshots = shots(0);
    assert.equal((await afterCapture(login("true"))).isSpared, false);
  });

  for (const [what, text] of Object.entries({
    hangs: "sleep 1000",
    loops: "while :; do :; done",
    floods: "yes",
    "ends its shell": "kill -9 $$",
  }))
    test(`commands go on while a file ${what} in the capture`, async () => {
      await profile(`case $BASH_EXECUTION_STRING in *parley-*) ${text};; esac\n`);
      const command = login("echo fine");
      for (let i = 0; i < 5; i++) assert.equal((await run(command)).output, "fine\n");
      snapshots.close();
      await snapshots.settled;
      assert.equal((await run(command)).output, "fine\n");
    });
});

test("a command that cannot be started with a snapshot is started with its files", {
  skip: machineFiles,
}, async () => {
  const bench = openBench({ loginSnapshots: () => false });
  let refused = 0;
  const shells = new LoginShells(
    async (command, confinement, { signal, isAside }) => {
      if (isAside || command.argv[1] !== "--noprofile") return await bench.runner.start(command, confinement, signal);
      refused++;
      throw new CommandRefused("other", "too long");
    },
    () => true,
  );
  const command: Command = {
    argv: ["bash", "-lc", "exit 7"],
    cwd: bench.work,
    env: { PATH: "/usr/bin:/bin", HOME: bench.base },
    stdin: "closed",
  };
  await eventually(async () => {
    const running = await shells.start(command, { policy: open, workspaceRoots: [] }, new AbortController().signal);
    assert.equal((await running.exit).exitCode, 7);
    return refused > 0;
  }, "the use of the snapshot");
  shells.close();
  await bench.close();
});

test("the runner uses snapshots, unless that is turned off", { skip: machineFiles }, async () => {
  for (const isOn of [true, false]) {
    const bench = openBench({ loginSnapshots: () => isOn });
    const how = async (): Promise<string> => {
      const running = await bench.start(["bash", "-lc", "tr '\\0' ' ' </proc/$$/cmdline"], { policy: open });
      await running.exit;
      return running.output();
    };
    const isSpared = async (): Promise<boolean> => (await how()).includes(" --noprofile ");
    if (isOn) await eventually(isSpared, "the snapshot");
    else for (let i = 0; i < 20; i++) assert.match(await how(), /^bash -lc /);
    await bench.close();
  }
});
