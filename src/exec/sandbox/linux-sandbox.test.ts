import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { CommandRefused } from "../../core/ports/command-runner.ts";
import { type Bench, noBubblewrap, openBench, testedEngines } from "../testing.ts";

/** Why the case cannot be set up here; false if it can. */
function canForbidNamespaces(): string | false {
  const { status } = spawnSync("unshare", ["-Ur", "sh", "-c", "echo 0 > /proc/sys/user/max_user_namespaces"]);
  return status === 0 ? false : "needs unshare(1)";
}

const readOnly = { type: "readOnly" } as const;

const engines = await testedEngines();
const noLandlock = engines.find(({ engine }) => engine === "landlock")?.skip ?? "a run with another engine";

for (const { engine, skip, mounts, protects } of engines)
  describe(`the Linux sandbox by ${engine}`, { skip }, () => {
    let bench: Bench;
    before(() => {
      bench = openBench({ engine });
    });
    after(() => bench.close());

    const git = (folder: string, ...args: string[]): void => {
      const { status, stderr } = spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], {
        cwd: folder,
        env: { ...process.env, HOME: bench.base, GIT_CONFIG_GLOBAL: "/dev/null" },
      });
      assert.equal(status, 0, String(stderr));
    };
    const refused = async (run: Promise<unknown>, text: RegExp): Promise<void> => {
      await assert.rejects(run, (error) => {
        assert.ok(error instanceof CommandRefused);
        assert.equal(error.kind, "noSandbox");
        assert.match(error.message, text);
        return true;
      });
    };
    /** A separate workspace, so that cases do not affect each other. */
    const workspace = (name: string): string => {
      const folder = path.join(bench.base, name);
      mkdirSync(folder, { recursive: true });
      return folder;
    };

    protects("the server's own program stays unchanged, wherever it is", async () => {
      const base = mkdtempSync("/var/tmp/parley-program-");
      const program = path.join(base, "node_modules/parley");
      const own = openBench({ engine, program: [program, path.join(base, "missing")] });
      try {
        mkdirSync(path.join(program, "dist"), { recursive: true });
        writeFileSync(path.join(program, "dist/parley.cjs"), "good");
        const line = `cd ${base}; touch free; echo bad > node_modules/parley/dist/parley.cjs; rm -rf node_modules/parley; mv node_modules gone; ls`;
        const { output } = await own.sh(line, { roots: [own.work, base] });
        assert.match(output, /^free$/m);
        assert.equal(readFileSync(path.join(program, "dist/parley.cjs"), "utf8"), "good");
        await own.sh("touch node_modules/parley/x", { roots: [program], cwd: program });
      } finally {
        await own.close();
        rmSync(base, { recursive: true });
      }
    });

    test("a command writes in the workspace, in /tmp, and nowhere else", async () => {
      writeFileSync(path.join(bench.outside, "keep"), "old");
      const name = `parley-test-${process.pid}`;
      const { output } = await bench.sh(
        `echo x > inside && echo IN; echo x > /tmp/${name} && rm /tmp/${name} && echo TMP; echo y > ${bench.outside}/keep; rm ${bench.outside}/keep; mkdir ${bench.base}/new; chmod 777 ${bench.outside}; touch ~/.bashrc; ln inside ${bench.outside}/hard; ln -s ${bench.outside} link; echo z > link/through`,
      );
      assert.match(output, /IN\nTMP/);
      assert.deepEqual(readdirSync(bench.outside), ["keep"]);
      assert.equal(readFileSync(path.join(bench.outside, "keep"), "utf8"), "old");
      assert.ok(!existsSync(path.join(bench.base, "new")) && !existsSync(path.join(bench.base, ".bashrc")));
    });

    test("read-only mode: nothing can be written, /dev/null can be used", async () => {
      const { output } = await bench.sh("touch a; touch /tmp/parley-ro; touch /dev/shm/x; touch /dev/x; echo ok >/dev/null && echo NULL", {
        policy: readOnly,
      });
      assert.equal(output.match(/Read-only file system|Permission denied/g)?.length, 4, output);
      assert.match(output, /NULL/);
    });

    test("the switches close /tmp and TMPDIR", async () => {
      const tmpdir = workspace("tmpdir");
      const env = { PATH: "/usr/bin:/bin", TMPDIR: tmpdir };
      const line = `touch ${tmpdir}/x && echo DIR; touch /tmp/parley-sw-${process.pid} && echo TMP; rm -f ${tmpdir}/x /tmp/parley-sw-${process.pid}`;
      const closed = { type: "workspaceWrite", excludeSlashTmp: true, excludeTmpdirEnvVar: true } as const;
      assert.match((await bench.sh(line, { env })).output, /DIR\nTMP/);
      assert.doesNotMatch((await bench.sh(line, { env, policy: closed })).output, /DIR|^TMP/m);
    });

    protects("placeholders in TMPDIR protect every command, and are gone when the runner is", async () => {
      const own = openBench({ engine });
      const tmpdir = path.join(own.outside, "tmp");
      mkdirSync(tmpdir);
      const env = { PATH: "/usr/bin:/bin", TMPDIR: tmpdir };
      for (let i = 0; i < 2; i++) assert.match((await own.sh("mkdir $TMPDIR/.git/hooks || echo CLOSED", { env })).output, /CLOSED/);
      await own.runner.close();
      assert.deepEqual(readdirSync(tmpdir), []);
      await own.close();
    });

    protects("`.git`, `.codex` and `.agents` cannot be written, planted or moved, and nothing is left behind", async () => {
      const work = workspace("names");
      const line =
        'for n in .git .codex .agents; do mkdir -p $n/hooks; echo x > $n/file; echo "gitdir: /x" > $n; mv $n moved; rm -rf $n; ln -sfn /tmp $n; done; git init -q .; echo fine > other; true';
      await bench.sh(line, { cwd: work, roots: [work] });
      assert.deepEqual(readdirSync(work), ["other"]);
      for (const name of [".git", ".codex", ".agents"]) {
        mkdirSync(path.join(work, name));
        writeFileSync(path.join(work, name, "mine"), "mine");
      }
      await bench.sh(`${line}; echo x >> .codex/mine`, { cwd: work, roots: [work] });
      assert.deepEqual(readdirSync(work).sort(), [".agents", ".codex", ".git", "other"]);
      for (const name of [".git", ".codex", ".agents"]) assert.deepEqual(readdirSync(path.join(work, name)), ["mine"]);
      assert.equal(readFileSync(path.join(work, ".codex", "mine"), "utf8"), "mine");
    });

    protects("the placeholder of a missing name is empty and read-only, and what is forced into it stays inside", async () => {
      const work = workspace("empty");
      const line =
        "ls -A .git .codex; mkdir .git/hooks || echo CLOSED; git init -q . || echo NO-REPOSITORY; chmod 777 .git; touch .git/config";
      const { output } = await bench.sh(line, { cwd: work, roots: [work] });
      assert.match(output, /^\.codex:\n\n\.git:\n/);
      assert.match(output, /CLOSED.*NO-REPOSITORY/s);
      assert.deepEqual(readdirSync(work), []);
    });

    protects("names that the settings add are protected like the others", async () => {
      const work = workspace("further");
      mkdirSync(path.join(work, ".idea"));
      writeFileSync(path.join(work, ".envrc"), "mine");
      const options = { cwd: work, roots: [work], protectedNames: [".vscode", ".idea", ".envrc"] };
      const line =
        "mkdir -p .vscode; echo evil > .vscode/tasks.json; echo evil > .idea/x; echo evil > .envrc; rm -rf .idea .envrc; mv .idea gone; echo fine > other; mkdir sub && touch sub/x";
      await bench.sh(line, options);
      assert.deepEqual(readdirSync(work).sort(), [".envrc", ".idea", "other", "sub"]);
      assert.deepEqual([readdirSync(path.join(work, ".idea")), readFileSync(path.join(work, ".envrc"), "utf8")], [[], "mine"]);
      await bench.sh(line, { cwd: work, roots: [work] });
      assert.ok(existsSync(path.join(work, ".vscode/tasks.json")), "they are the user's choice");
    });

    protects("concurrent commands share the placeholders, and the last one removes them", async () => {
      const work = workspace("shared");
      const options = { cwd: work, roots: [work] };
      const long = await bench.start(["/bin/sh", "-c", "read x; mkdir .git 2>/dev/null && touch .git/planted; echo over"], {
        ...options,
        stdin: "open",
      });
      await bench.sh("true", options);
      assert.deepEqual(readdirSync(work).sort(), [".agents", ".codex", ".git"]);
      long.write("go\n");
      await long.exit;
      assert.match(long.output(), /over/);
      assert.deepEqual(readdirSync(work), []);
    });

    test("a placeholder that the user puts files into stays", async () => {
      const work = workspace("filled");
      const options = { cwd: work, roots: [work] };
      const long = await bench.start(["/bin/cat"], { ...options, stdin: "open" });
      git(work, "init", "-q");
      long.closeStdin();
      await long.exit;
      assert.deepEqual(readdirSync(work), [".git"]);
      assert.ok(existsSync(path.join(work, ".git", "HEAD")));
    });

    protects("placeholders of a killed server are recognized and removed", async () => {
      const work = workspace("leftover");
      mkdirSync(path.join(work, ".git"));
      spawnSync("chmod", ["1711", path.join(work, ".git")]);
      mkdirSync(path.join(work, ".agents"));
      await bench.sh("true", { cwd: work, roots: [work] });
      assert.deepEqual(readdirSync(work), [".agents"], "the user's own empty folder stays");
    });

    test("a symlinked protected name is refused", async () => {
      const work = workspace("linked");
      mkdirSync(path.join(work, "real"));
      symlinkSync("real", path.join(work, ".codex"));
      await refused(bench.sh("rm .codex; mkdir .codex", { cwd: work, roots: [work] }), /\.codex is a symlink/);
      assert.match((await bench.sh("echo ran", { cwd: work, roots: [work], policy: readOnly })).output, /ran/);
    });

    protects("what `.git` refers to is protected: gitdir file, worktree, submodule, nested repository, linked hooks", async () => {
      const work = workspace("repos");
      git(work, "init", "-q");
      git(work, "commit", "-q", "--allow-empty", "-m", "x");
      mkdirSync(path.join(work, "deep/nested"), { recursive: true });
      git(path.join(work, "deep/nested"), "init", "-q");
      const main = workspace("repos/main");
      git(main, "init", "-q");
      git(main, "commit", "-q", "--allow-empty", "-m", "x");
      git(main, "worktree", "add", "-q", path.join(work, "tree"));
      git(work, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", main, "module");
      rmSync(path.join(work, ".git/hooks"), { recursive: true });
      mkdirSync(path.join(work, "myhooks"));
      symlinkSync("../myhooks", path.join(work, ".git/hooks"));
      const targets = [
        ".git/config",
        "deep/nested/.git/hooks/x",
        "main/.git/config",
        "main/.git/worktrees/tree/x",
        "tree/.git",
        "module/.git",
        ".git/modules/module/config",
        "myhooks/x",
      ];
      const { output } = await bench.sh(
        `for f in ${targets.join(" ")}; do (echo evil >> $f) 2>/dev/null && echo "WROTE $f"; done; mv deep moved && echo MOVED; mv deep/nested other && echo MOVED; mv tree t2 && echo MOVED; touch deep/ok main/ok && echo FINE; git status --short >/dev/null && echo STATUS`,
        { cwd: work, roots: [work] },
      );
      assert.equal(output.replaceAll(/^mv: .*\n/gm, ""), "FINE\nSTATUS\n");
    });

    protects("a repository that appears later is protected in later commands", async () => {
      const work = workspace("later");
      const options = { cwd: work, roots: [work] };
      await bench.sh("git init -q sub && echo x > sub/.git/mine", options);
      assert.ok(existsSync(path.join(work, "sub/.git/mine")));
      let output = "x > written";
      for (let i = 0; i < 50 && !/Read-only/.test(output); i++) output = (await bench.sh("echo y > sub/.git/later", options)).output;
      assert.match(output, /Read-only file system/);
    });

    test("the server's home: secrets hidden, nothing writable, skills readable", async () => {
      const { home } = bench;
      mkdirSync(path.join(home, "parley/audit"), { recursive: true });
      mkdirSync(path.join(home, "skills/x"), { recursive: true });
      const secrets = ["auth.json", ".credentials.json", "config.toml", "parley/audit/2026-01.jsonl", "state_5.sqlite"];
      for (const name of secrets) writeFileSync(path.join(home, name), "sk-31337");
      writeFileSync(path.join(home, "skills/x/SKILL.md"), "a skill");
      const line = `cd ${home}; cat ${secrets.join(" ")}; cat skills/x/SKILL.md; grep -rs 31337 . ; for f in ${secrets.join(" ")} AGENTS.md rules/default.rules skills/x/y new; do mkdir -p $(dirname $f); echo x > $f; done; rm -rf sessions skills; ls -a`;
      for (const options of [{}, { policy: readOnly }, ...(mounts ? [{ roots: [bench.base] }] : [])]) {
        const { output } = await bench.sh(line, options);
        assert.doesNotMatch(output, /31337/);
        assert.match(output, /a skill/);
      }
      assert.equal(readFileSync(path.join(home, "auth.json"), "utf8"), "sk-31337");
      assert.deepEqual(readdirSync(home).sort(), [".credentials.json", "auth.json", "config.toml", "parley", "skills", "state_5.sqlite"]);
      await refused(bench.sh("true", { roots: [home] }), /server's own home/);
      await refused(bench.sh("true", { roots: [path.join(home, "skills")] }), /server's own home/);
    });

    test("the rest of a truncated output can be read at the path that the model got", async () => {
      const outputs = path.join(bench.home, "parley", "outputs");
      mkdirSync(outputs, { recursive: true, mode: 0o700 });
      writeFileSync(path.join(outputs, "all.txt"), "all of it", { mode: 0o600 });
      const { output } = await bench.sh(`cat ${outputs}/all.txt; echo x > ${outputs}/all.txt`, { policy: readOnly });
      assert.match(output, /^all of it/);
      assert.equal(readFileSync(path.join(outputs, "all.txt"), "utf8"), "all of it");
      rmSync(outputs, { recursive: true });
    });

    test("a secret that is replaced while a command runs stays hidden", async () => {
      const file = path.join(bench.home, "auth.json");
      writeFileSync(file, "sk-old");
      const long = await bench.start(["/bin/bash", "-c", `read x; cat ${file} ${bench.home}/fresh-token; echo END`], { stdin: "open" });
      writeFileSync(`${file}.new`, "sk-31337");
      spawnSync("mv", [`${file}.new`, file]);
      writeFileSync(path.join(bench.home, "fresh-token"), "sk-31337");
      long.write("\n");
      await long.exit;
      assert.match(long.output(), /END/);
      assert.doesNotMatch(long.output(), /31337/);
    });

    test("roots: relative and whole disk are refused, missing ones skipped, links resolved, planted links refused", async () => {
      const root = (...writableRoots: string[]) => ({ policy: { type: "workspaceWrite", writableRoots, excludeSlashTmp: true } as const });
      await refused(bench.sh("true", root("relative")), /not an absolute path/);
      await refused(bench.sh("true", root("/")), /whole disk/);
      await refused(bench.sh("true", { roots: ["/"] }), /whole disk/);
      await refused(bench.sh("true", root("/proc/sys")), /belongs to the system/);
      if (mounts) await refused(bench.sh("true", root("/usr")), /not found outside the writable folders/);
      assert.equal((await bench.sh("true", root(path.join(bench.base, "missing")))).exitCode, 0);
      const real = workspace("real");
      // No command could write there before: only a person can have created it.
      const links = mkdtempSync("/var/tmp/parley-links-");
      symlinkSync(real, path.join(links, "to-real"));
      assert.equal((await bench.sh(`touch ${real}/x`, root(path.join(links, "to-real")))).exitCode, 0);
      rmSync(links, { recursive: true });
      symlinkSync(bench.outside, path.join(bench.work, "build"));
      await refused(bench.sh("true", root(path.join(bench.work, "build"))), /goes through the symlink/);
    });

    protects("a home as workspace keeps its start-up files and the server's home", async () => {
      const own = openBench({ engine });
      try {
        writeFileSync(path.join(own.base, ".bashrc"), "# mine\n");
        mkdirSync(path.join(own.base, ".ssh"));
        writeFileSync(path.join(own.home, "auth.json"), "sk-31337");
        const { output } = await own.sh(
          `cd ~; echo evil >> .bashrc; echo evil > .ssh/authorized_keys; echo x > home/config.toml; mv home h2; cat home/auth.json; touch ok && echo OK`,
          { roots: [own.base] },
        );
        assert.match(output, /OK/);
        assert.doesNotMatch(output, /31337/);
        assert.equal(readFileSync(path.join(own.base, ".bashrc"), "utf8"), "# mine\n");
        assert.deepEqual(readdirSync(path.join(own.base, ".ssh")), []);
        assert.deepEqual(readdirSync(own.home).sort(), ["auth.json", "parley"]);
      } finally {
        await own.close();
      }
    });

    test("variables that load code reach the command, but not the program that confines it", async () => {
      const library = path.join(bench.work, "libcap.so.2");
      writeFileSync(library, "not a library");
      const env = { PATH: "/usr/bin:/bin", LD_LIBRARY_PATH: bench.work, SOME_NAME: "a b\nc" };
      const { output } = await bench.sh('echo "$LD_LIBRARY_PATH|$SOME_NAME"; grep -c . /proc/1/environ; tr "\\0" "\\n" </proc/1/environ', {
        env,
      });
      assert.ok(output.startsWith(`${bench.work}|a b\nc\n`), output);
      assert.doesNotMatch(output.slice(output.indexOf("c\n")), /LD_LIBRARY_PATH/);
      rmSync(library);
    });

    test("no capability, no new privileges, a filter, no other processes, no settings of the machine", async () => {
      // If it has its own PID namespace, the first process of the sandbox is just as confined as the command.
      const looked = ["/proc/self/status", ...(mounts ? ["/proc/1/status"] : [])];
      const { output } = await bench.sh(
        `grep -hE "^(NoNewPrivs|Cap...|Seccomp):" ${looked.join(" ")}; ls /proc | grep -c "^[0-9]"; for f in sys/kernel/core_pattern sys/kernel/hostname sys/vm/overcommit_memory sysrq-trigger irq/default_smp_affinity; do (exec 9>>/proc/$f) 2>/dev/null && echo "OPEN $f"; done; (exec 9>>/sys/kernel/uevent_helper) 2>/dev/null && echo OPEN; echo END`,
      );
      assert.equal(output.match(/NoNewPrivs:\t1\n/g)?.length, looked.length, output);
      assert.equal(output.match(/Seccomp:\t2\n/g)?.length, looked.length, output);
      // Capabilities that an ordinary user may not drop are irrelevant with no_new_privs.
      const sets = mounts ? /Cap...:\t([0-9a-f]+)/g : /Cap(?:Inh|Prm|Eff|Amb):\t([0-9a-f]+)/g;
      for (const [, bits] of output.matchAll(sets)) assert.match(bits ?? "", /^0+$/);
      assert.doesNotMatch(output, /OPEN/);
      const count = Number(/\n(\d+)\nEND/.exec(output)?.[1]);
      if (mounts) assert.ok(count <= 5, `${count} processes are seen`);
    });

    test("the server cannot be killed or read", async () => {
      const { output } = await bench.sh(`kill -9 ${process.pid} && echo KILLED; cat /proc/${process.pid}/environ && echo READ; echo END`);
      assert.match(output, /END/);
      assert.doesNotMatch(output, /KILLED|READ/);
    });

    test("network: off by default, loopback inside works, on when allowed; unix sockets never lead out", async () => {
      let hits = 0;
      const server = createServer((socket) => {
        hits++;
        socket.on("error", () => undefined).end("x");
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      const unixPath = path.join(bench.work, "s.sock");
      const unix = createServer((socket) => {
        hits += 100;
        socket.end();
      });
      await new Promise<void>((resolve) => unix.listen(unixPath, resolve));
      const connect = `(exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo CONNECTED; perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, sockaddr_un("${unixPath}")) && print "UNIX\\n"'; echo END`;
      try {
        const off = await bench.sh(connect);
        assert.equal(off.output, "END\n");
        assert.equal(hits, 0);
        const on = await bench.sh(connect, { policy: { type: "workspaceWrite", networkAccess: true } });
        assert.equal(on.output, "CONNECTED\nEND\n");
        assert.equal(hits, 1);
        assert.match((await bench.sh("echo $CODEX_SANDBOX_NETWORK_DISABLED")).output, /^1\n/);
      } finally {
        server.close();
        unix.close();
      }
    });

    test("the working folder of a command does not become writable; a hidden one is refused", async () => {
      const { output } = await bench.sh("pwd; touch here || echo DENIED", { cwd: bench.outside });
      assert.match(output, /outside\n.*DENIED/s);
      mkdirSync(path.join(bench.home, "parley"), { recursive: true });
      await refused(bench.sh("pwd", { cwd: path.join(bench.home, "parley") }), /server's own home/);
    });

    test("namespaces, mounts and devices cannot be made", async () => {
      const { output } = await bench.sh(
        `unshare -Urm true && echo UNSHARE; mount -t tmpfs none /mnt && echo MOUNT; mount -o remount,rw / && echo REMOUNT; mknod dev c 1 3 && echo MKNOD; nsenter -t 1 -m true && echo NSENTER; chroot / true && echo CHROOT; echo END`,
      );
      assert.doesNotMatch(output, /^[A-Z]{4,}$/m);
      assert.match(output, /END/);
    });
  });

describe("the choice of an engine", { skip: process.platform === "linux" ? false : "needs Linux" }, () => {
  let bench: Bench;
  before(() => {
    bench = openBench();
  });
  after(() => bench.close());

  /** The error message of a server on a machine that forbids user namespaces. */
  const withoutNamespaces = (engine: string | undefined): string => {
    const program = `
      import { createCommandRunner } from ${JSON.stringify(path.join(import.meta.dirname, "../runner.ts"))};
      const runner = createCommandRunner({ codexHome: ${JSON.stringify(bench.home)}, engine: () => ${JSON.stringify(engine ?? "auto")} });
      const command = { argv: ["/bin/echo", "ran"], cwd: "/", env: {}, stdin: "closed" };
      await runner.start(command, { policy: { type: "readOnly" }, workspaceRoots: [] }, new AbortController().signal).then(async (running) => console.log("exit", (await running.exit).exitCode), (error) => console.log(error.kind, error.message));
      console.log(JSON.stringify(await runner.sandbox()));
      await runner.close();`;
    const script = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$0" --input-type=module -e "$1"';
    return spawnSync("unshare", ["-Ur", "sh", "-c", script, process.execPath, program], { encoding: "utf8" }).stdout;
  };

  test("where user namespaces are off, commands are refused with the fix", { skip: canForbidNamespaces() || noBubblewrap }, () => {
    for (const engine of ["bubblewrap", "namespaces"])
      assert.match(withoutNamespaces(engine), /^noSandbox No sandbox: .*Allow user namespaces.*danger-full-access/s);
  });

  test("where user namespaces are off, Landlock takes over and lists what it cannot do", {
    skip: canForbidNamespaces() || noLandlock,
  }, () => {
    const [exit, state = "{}"] = withoutNamespaces(undefined).trim().split("\n");
    assert.equal(exit, "exit 0");
    const { engine, text, limits } = JSON.parse(state);
    assert.equal(engine, "landlock");
    assert.match(text, /Landlock.*namespaces: .*bubblewrap: /);
    assert.match(limits.join("\n"), /\.git.*ask first/);
  });

  test("a configured engine is used or refused with the reason, never replaced by another", async () => {
    for (const { engine, skip } of engines) {
      const own = openBench({ engine });
      const state = await own.runner.sandbox();
      assert.equal(state.engine, skip === false ? engine : "none", state.text);
      await own.close();
    }
    const odd = openBench({ engine: "firejail" });
    await assert.rejects(odd.sh("true"), /there is no engine "firejail"; sandbox_engine is one of auto, namespaces, bubblewrap, landlock/);
    await odd.close();
  });

  test("Landlock refuses a workspace around the server's home and asks if names are unprotected", { skip: noLandlock }, async () => {
    const own = openBench({ engine: "landlock" });
    const policy = { type: "workspaceWrite" } as const;
    await assert.rejects(own.sh("true", { roots: [own.base] }), /holds secrets of the server.*Choose a smaller workspace/);
    assert.match((await own.runner.openNames({ policy, workspaceRoots: [own.work] })) ?? "", /cannot keep commands from changing \.git/);
    assert.equal(await own.runner.openNames({ policy: readOnly, workspaceRoots: [own.work] }), undefined);
    await assert.rejects(
      own.sh("touch made", { namesMayBeOpen: false }),
      /cannot keep commands from changing \.git.*nobody was asked.*readOnly/,
    );
    assert.ok(!existsSync(path.join(own.work, "made")));
    assert.equal((await own.sh("echo ran", { namesMayBeOpen: false, policy: readOnly })).output, "ran\n");
    const best = openBench({ engine: "namespaces" });
    assert.equal(await best.runner.openNames({ policy, workspaceRoots: [best.work] }), undefined);
    await Promise.all([own.close(), best.close()]);
  });
});
