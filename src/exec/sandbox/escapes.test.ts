import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Bench, openBench, testedEngines } from "../testing.ts";

/** Everything in and next to the workspace is watched, so /tmp is not writable. */
const policy = { type: "workspaceWrite", excludeSlashTmp: true, excludeTmpdirEnvVar: true } as const;

for (const { engine, skip } of await testedEngines())
  describe(`ways out of the sandbox by ${engine}`, { skip }, () => {
    let bench: Bench;
    before(() => {
      bench = openBench({ engine });
    });
    after(() => bench.close());
    beforeEach(() => {
      for (const name of ["keep", "folder/keep"]) {
        mkdirSync(path.dirname(path.join(bench.outside, name)), { recursive: true });
        writeFileSync(path.join(bench.outside, name), "old");
      }
    });
    const untouched = (): void => {
      assert.deepEqual(readdirSync(bench.outside).sort(), ["folder", "keep"]);
      for (const name of ["keep", "folder/keep"]) assert.equal(readFileSync(path.join(bench.outside, name), "utf8"), "old");
    };

    test("symlinks lead nowhere: existing ones, made by the command, through the root, /proc and another link", async () => {
      const { work, outside } = bench;
      symlinkSync(outside, path.join(work, "before"));
      symlinkSync(path.join(outside, "keep"), path.join(work, "before-file"));
      symlinkSync(path.join(outside, "dangling"), path.join(work, "before-dangling"));
      const ways = ["before", "own", "far", "root/..", "root", "chain", "self", "up"].map((name) =>
        name.startsWith("root") ? `root${outside}` : name,
      );
      const { output } = await bench.sh(
        `ln -s ${outside} own; ln -s ../outside up; ln -s own chain; ln -s / root; ln -s /proc/self/root${outside} self; ln -s /proc/1/root${outside} far
       for w in ${ways.join(" ")}; do echo x > $w/new; echo x > $w/keep; rm -rf $w/folder; mkdir $w/made; mv $w/keep here; truncate -s0 $w/keep; done
       echo x > before-file; echo x > before-dangling; cp -f /etc/hostname before-dangling; tee before-file < /etc/hostname
       perl -e 'open(F, "+<", "before-file") and print "OPENED"'; sed -i s/old/new/ before-file; echo END`,
        { policy },
      );
      assert.match(output, /END/);
      assert.doesNotMatch(output, /OPENED/);
      untouched();
    });

    test("a link that is swapped while commands run leads nowhere either", async () => {
      const { output } = await bench.sh(
        `mkdir -p flip real; ( for i in $(seq 60); do rm -rf flip; ln -sfn ${bench.outside} flip; rm -f flip; mkdir flip; done ) & for i in $(seq 60); do echo x > flip/new; echo x > flip/keep; done 2>/dev/null; wait; echo END`,
        { policy },
      );
      assert.match(output, /END/);
      untouched();
    });

    test("hard links: none can be made to a file outside", async () => {
      const { outside } = bench;
      const { output } = await bench.sh(
        `ln ${outside}/keep mine && echo LINKED; ln -L ${outside}/folder/keep mine2 && echo LINKED; cp -l ${outside}/keep mine3 && echo LINKED; perl -e 'link("${outside}/keep", "mine4") and print "LINKED"'; for f in mine*; do echo x > $f; done; echo END`,
        { policy },
      );
      assert.match(output, /END/);
      assert.doesNotMatch(output, /LINKED/);
      untouched();
    });

    test("what is left running in the background stays confined", async () => {
      const line = `(setsid bash -c 'sleep 0.3; echo x > ${bench.outside}/late; touch late-inside' >/dev/null 2>&1 &); echo started`;
      await bench.sh(`${line}; until [ -e late-inside ]; do sleep 0.05; done`, { policy });
      untouched();
      assert.ok(existsSync(path.join(bench.work, "late-inside")));
    });

    test("no terminal to inject input into: none controls the command, and the ioctl is refused", async () => {
      const typing = `perl -e 'for my $t ("/dev/tty", "/proc/self/fd/0", "/proc/self/fd/1", "/dev/pts/0", "/dev/console") { if (open(T, "+<", $t)) { my $c = "x"; print ioctl(T, 0x5412, $c) ? "TYPED $t\\n" : "" } } print "END\\n"'`;
      for (const options of [{}, { tty: { cols: 80, rows: 24 }, stdin: "open" as const }]) {
        const { output } = await bench.sh(`${typing}; ls /dev/pts`, { policy, ...options });
        assert.match(output, /END/);
        assert.doesNotMatch(output, /TYPED/);
      }
      const { output } = await bench.sh("exec 9<>/dev/tty && echo CONTROLS; ps -o tty= -p $$ 2>/dev/null; echo END", { policy });
      assert.doesNotMatch(output, /CONTROLS/);
    });

    test("unix sockets: neither by a path nor by an abstract name, nor one inside the workspace", async (t) => {
      let hits = 0;
      const abstract = `\0parley-test-${process.pid}`;
      const places = [path.join(bench.outside, "s.sock"), path.join(bench.work, "s.sock"), abstract];
      const servers = places.map((place) =>
        createServer((socket) => {
          hits++;
          socket.on("error", () => undefined).end();
        }).listen(place),
      );
      t.after(() => {
        for (const server of servers) server.close();
      });
      const connect = (name: string): string =>
        `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) or exit; my $a = pack("S a*", AF_UNIX, ${name}); connect(S, $a) and print "CONNECTED\\n"'`;
      const lines = [`"${places[0]}\\0"`, `"${places[1]}\\0"`, `"\\0parley-test-${process.pid}"`].map(connect);
      const { output } = await bench.sh(`${lines.join("; ")}; echo END`, { policy });
      assert.deepEqual([output, hits], ["END\n", 0]);
      for (const server of servers.splice(0)) server.close();
    });

    test("datagram sockets outside: not reached from a socket pair either, by sending or by reconnecting", async (t) => {
      const places = [path.join(bench.outside, "d.sock"), path.join(bench.work, "d.sock")];
      const abstract = `parley-dgram-${process.pid}`;
      const names = [...places.map((place) => `"${place}\\0"`), `"\\0${abstract}"`];
      // Node has no datagram sockets of this family.
      const bind = names.map((name, i) => `socket(S${i}, AF_UNIX, SOCK_DGRAM, 0); bind(S${i}, pack("S a*", AF_UNIX, ${name})) or die $!;`);
      const poll = `while (1) { for my $s (${names.map((_, i) => `*S${i}`).join(", ")}) { my $m; print "HIT $m\\n" if defined recv($s, $m, 99, 0x40) } select(undef, undef, undef, 0.01) }`;
      const listener = spawn("perl", ["-MSocket", "-e", `$| = 1; ${bind.join("")} print "ready\\n"; ${poll}`]);
      t.after(() => listener.kill("SIGKILL"));
      let received = "";
      listener.stdout.on("data", (chunk: Buffer) => {
        received += chunk.toString();
      });
      await once(listener.stdout, "data");
      const attack = names.map(
        (name) =>
          `my $a = pack("S a*", AF_UNIX, ${name}); for my $t (SOCK_DGRAM, SOCK_RAW, SOCK_STREAM, SOCK_SEQPACKET) { next unless socketpair(A, B, AF_UNIX, $t, 0); send(A, "sent", 0, $a); connect(A, $a) and send(A, "connected", 0); close A; close B }`,
      );
      const { output } = await bench.sh(`perl -MSocket -e '${attack.join(" ")}; print "END\\n"'`, { policy });
      assert.match(output, /END/);
      const lastMessage = once(listener.stdout, "data");
      const own = `socket(S, AF_UNIX, SOCK_DGRAM, 0); send(S, "last", 0, pack("S a*", AF_UNIX, ${names[0]})) or die $!`;
      assert.equal(spawnSync("perl", ["-MSocket", "-e", own]).status, 0);
      await lastMessage;
      assert.equal(received, "ready\nHIT last\n");
      for (const place of places) rmSync(place);
    });

    test("named pipes of the system take nothing, in no mode", {
      skip: process.getuid?.() === 0 ? false : "only root can put one there",
    }, async (t) => {
      const own = openBench({ engine });
      const folder = mkdtempSync("/run/parley-pipes-");
      const pipe = path.join(folder, "service/orders");
      mkdirSync(path.dirname(pipe));
      spawnSync("mkfifo", [pipe]);
      const reader = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
      t.after(async () => {
        closeSync(reader);
        rmSync(folder, { recursive: true });
        await own.close();
      });
      for (const each of [{ type: "readOnly" } as const, policy]) {
        const { output } = await own.sh(`(echo orders > ${pipe}) 2>/dev/null && echo TOLD; echo END`, { policy: each });
        assert.equal(output, "END\n");
      }
      assert.throws(() => readSync(reader, Buffer.alloc(10)), /EAGAIN/);
    });

    test("named pipes anywhere outside the writable folders take nothing, in no mode; those in them do", async (t) => {
      const own = openBench({ engine });
      t.after(() => own.close());
      const { limits } = await own.runner.sandbox();
      if (limits.some((text) => text.includes("named pipes"))) return t.skip(`needs Landlock: ${limits.join()}`);
      const places = [path.join(own.outside, "orders"), path.join(own.base, "orders"), path.join(own.work, "orders")];
      for (const place of places) assert.equal(spawnSync("mkfifo", ["-m", "666", place]).status, 0);
      const readers = places.map((place) => openSync(place, constants.O_RDWR | constants.O_NONBLOCK));
      t.after(() => {
        for (const reader of readers) closeSync(reader);
      });
      const line = `for p in ${places.join(" ")}; do (echo orders > $p) 2>/dev/null && echo TOOK $p; (exec 9<>$p && echo orders >&9) 2>/dev/null && echo TOOK $p; done; echo END`;
      assert.equal((await own.sh(line, { policy: { type: "readOnly" } })).output, "END\n");
      for (const reader of readers) assert.throws(() => readSync(reader, Buffer.alloc(10)), /EAGAIN/);
      const took = `TOOK ${places[2]}\n`;
      assert.equal((await own.sh(line, { policy })).output, `${took}${took}END\n`);
      for (const reader of readers.slice(0, 2)) assert.throws(() => readSync(reader, Buffer.alloc(10)), /EAGAIN/);
    });

    test("datagrams: none leaves, to this machine or another", async (t) => {
      const socket = createSocket("udp4");
      let hits = 0;
      socket.on("message", () => hits++);
      await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
      t.after(() => socket.close());
      const { port } = socket.address();
      const send = `perl -MSocket -e 'socket(S, AF_INET, SOCK_DGRAM, 17) and send(S, "x", 0, sockaddr_in(${port}, inet_aton("127.0.0.1")))'`;
      const { output } = await bench.sh(`(echo x > /dev/udp/127.0.0.1/${port}) 2>/dev/null; ${send}; echo END`, { policy });
      assert.match(output, /END/);
      const open = { type: "workspaceWrite", networkAccess: true, excludeSlashTmp: true } as const;
      await bench.sh(send, { policy: open });
      for (let i = 0; i < 3_000 && hits === 0; i++) await new Promise((resolve) => setTimeout(resolve, 10));
      assert.equal(hits, 1, "only the one that the policy allows");
    });

    test("a folder that the model chooses for a command does not become writable, however it is spelled", async () => {
      const { work, outside, base } = bench;
      symlinkSync(outside, path.join(work, "way-out"));
      for (const cwd of [
        outside,
        path.join(work, "..", "outside"),
        base,
        "/",
        path.join(work, "way-out"),
        "/usr",
        path.join(outside, "folder"),
      ]) {
        const { output } = await bench.sh(`echo x > new; mkdir made; touch ../up; echo x > ${outside}/other; echo END`, { policy, cwd });
        assert.match(output, /END/, cwd);
      }
      untouched();
      assert.ok(!existsSync(path.join(base, "up")) && !existsSync("/new") && !existsSync("/usr/made"));
    });

    test("names in another case are the same names where the disk says so", async () => {
      const { work } = bench;
      const folder = path.join(work, "cases");
      mkdirSync(path.join(folder, ".git/hooks"), { recursive: true });
      await bench.sh("for n in .GIT .Git .CODEX .Codex .AGENTS; do mkdir -p $n/hooks; echo evil > $n/hooks/pre-commit; done; true", {
        policy,
        cwd: folder,
        roots: [folder],
      });
      // On a case-sensitive disk these are different folders, which nothing reads; on a case-insensitive one they are the protected ones.
      assert.deepEqual(readdirSync(path.join(folder, ".git/hooks")), []);
      assert.equal(realpathSync(path.join(folder, ".git")), path.join(realpathSync(folder), ".git"));
    });

    test("a command that forks without end is ended as a whole, and the next one runs", async () => {
      // The limit protects the machine that runs the tests, not the sandbox.
      const nap = `sleep 77.${process.pid}`;
      const bomb = `n() { trap '' TERM HUP INT; for d in 1 2 3 4 5 6 7; do bash -c 'trap "" TERM; ${nap} & ${nap}' & done; ${nap}; }; for i in 1 2 3 4 5 6; do n & done; echo up; wait`;
      const { exitCode, timedOut } = await bench.sh(bomb, { policy, timeoutMs: 700 });
      assert.deepEqual([exitCode, timedOut], [124, true]);
      // The last of them may take a moment to exit.
      const alive = (): string[] =>
        readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && cmdline(pid).includes(nap.replace(" ", "\0")));
      for (let i = 0; i < 500 && alive().length > 0; i++) await delay(20);
      assert.deepEqual(alive(), []);
      assert.equal((await bench.sh("echo fine", { policy })).output, "fine\n");
    });
  });

function cmdline(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
