/** Case 192: a sandboxed command plants files wherever the server might look; the next server must not run or read them. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { noProtection } from "../../src/exec/testing.ts";
import { atEnd, deletedWith } from "../support/ending.ts";
import { LiveServer, verifiesLive } from "../support/live-server.ts";
import { root } from "../support/process.ts";
import { writeHome } from "../support/verifies.ts";

/** Outside /tmp, so that the home is not in a temp folder, and short enough for socket paths. */
function place(t: TestContext) {
  const folder = realpathSync(mkdtempSync("/var/tmp/parley-planted-"));
  deletedWith(t, folder);
  const at = (name: string): string => path.join(folder, name);
  for (const name of ["home", "workspace", "temporary", "victim"]) mkdirSync(at(name));
  return { folder, at };
}

/** Leaves evidence when it is run by anything but a command of the agent. */
const tripwires = (evidence: string) => ({
  js: `if (!process.env.PARLEY_COMMAND_ID) require("fs").appendFileSync(${JSON.stringify(evidence)}, __filename + "\\n");\nmodule.exports = {};\n`,
  sh: `#!/bin/sh\n[ -n "$PARLEY_COMMAND_ID" ] || echo "$0" >>'${evidence}'\nexec true\n`,
});

const programs = [
  "sh",
  "bash",
  "bwrap",
  "git",
  "mkfifo",
  "setsid",
  "script",
  "rg",
  "node",
  "tail",
  "grep",
  "sed",
  "rm",
  "rmdir",
  "readlink",
  "ps",
];
const modules = ["@lydell/node-pty", "@lydell/node-pty-linux-x64", "@napi-rs/keyring", "sharp", "ws", "undici", "yaml", "ignore"];

/** A shell script that plants everything it can below each folder, and prints which folders were writable. */
function planting(folders: readonly string[], evidence: string): string {
  const texts = tripwires(evidence);
  const modulesAt = [".node_modules", ".node_libraries", "node_modules", "lib/node"].flatMap((where) =>
    modules.map((name) => `${where}/${name}`),
  );
  const caches = ["node-compile-cache/x", ".cache/x", "cache/x", "parley-99-x/pipe-0-0", "locks/x.json", "run/x"];
  const js = [...modulesAt.map((name) => `${name}/index.js`), "parley.cjs", "chunks/x.cjs", "index.js", ".noderc.js", ...caches];
  const below = (names: readonly string[]): string => [...new Set(names)].map((name) => `"$d/${name}"`).join(" ");
  // The shell writes each file itself: a process for each would take minutes on a busy machine.
  const write = (file: string, text: string): string => `printf '%s\\n' ${text} >"$d/${file}" && took=1`;
  const lines = [
    `mkdir -p ${below(js.map((name) => path.dirname(name)))}`,
    ...programs.map((name) => write(name, '"$sh"')),
    `chmod 755 ${below(programs)}`,
    ...js.map((name) => write(name, '"$js"')),
    ...modulesAt.map((name) => write(`${name}/package.json`, `'{"version":"99.0.0","main":"index.js"}'`)),
    `ln -s / "$d/parley-98-x"`,
  ];
  const known = Object.entries(texts).map(([name, text]) => `${name}=$(cat <<'END'\n${text}END\n)\n`);
  const each = `took=\n${lines.join("\n")}\n[ -z "$took" ] || echo "took $d"\n`;
  return `${known.join("")}for d in ${folders.map((folder) => `'${folder}'`).join(" ")}; do\n${each}done 2>/dev/null\n`;
}

if (noProtection) test("planted files", { skip: noProtection }, () => {});
else
  verifiesLive("trust.planted", async (t) => {
    const { folder, at } = place(t);
    const [evidence, workspace, temporary] = [at("victim/TRIPPED"), at("workspace"), at("temporary")];
    const shared = mkdtempSync("/tmp/parley-planted-");
    deletedWith(t, shared);
    const open = [workspace, temporary, shared];
    const own = ["parley", "parley/cache", "parley/run", "parley/locks", "app-server-control"].map((name) => at(`home/${name}`));
    const closed = [...own, at("home"), folder, `${root}/dist`, `${root}/dist/.cache`, `${root}/bin`, "/dev/shm"];
    writeFileSync(path.join(workspace, "plant.sh"), planting([...open, ...closed], evidence));
    const turns = [
      { user: "/plant/", steps: [{ call: "exec_command", with: { cmd: "sh ./plant.sh", yield_time_ms: 30_000 } }, { say: "planted" }] },
      {
        user: "work",
        steps: [{ run: "echo plain" }, { call: "exec_command", with: { cmd: "test -t 1 && echo terminal", tty: true } }, { say: "worked" }],
      },
    ];
    writeHome(at("home"), { turns });
    const env = { TMPDIR: temporary, HOME: folder };
    const settings = { cwd: workspace, approvalPolicy: "never", sandbox: "workspace-write" };
    const outputs = (server: LiveServer): string[] =>
      server.messages.flatMap((m) => (m.method === "item/completed" ? [m.params.item.aggregatedOutput ?? ""] : []));

    const first = await LiveServer.start(t, folder, { env });
    await first.turn(await first.startThread(settings), "plant");
    const took =
      outputs(first)
        .join("")
        .match(/(?<=took ).+/g) ?? [];
    await first.stop();
    assert.deepEqual(
      took.filter((name) => name !== "/dev/shm"),
      open,
      `only what is writable takes it; shared memory is a command's own; it said: ${outputs(first).join("").slice(0, 2000)}`,
    );
    for (const each of closed) assert.ok(!existsSync(path.join(each, "parley-98-x")), `${each} was written`);
    assert.ok(!readdirSync(at("victim")).length, "nothing was run while it was planted");

    // Only possible with full access: links named like a dead server's folders that point elsewhere.
    writeFileSync(at("victim/pipe-0-0"), "mine");
    const link = `/dev/shm/parley-4194304-${process.pid}`;
    symlinkSync(at("victim"), link);
    atEnd(t, () => rmSync(link, { force: true }));

    const hostile = {
      ...env,
      ...{ NODE_COMPILE_CACHE: path.join(shared, "node-compile-cache"), NODE_PATH: path.join(shared, "node_modules") },
      ...{ NODE_DEBUG_NATIVE: "COMPILE_CACHE", PATH: `.:${workspace}:${temporary}:${shared}:${process.env["PATH"]}` },
    };
    const again = await LiveServer.start(t, workspace, { env: { ...hostile, CODEX_HOME: at("home") } });
    await again.turn(await again.startThread(settings), "work");
    await again.call("command/exec", { command: ["/bin/echo", "x"], cwd: workspace, sandboxPolicy: { type: "dangerFullAccess" } });
    await again.call("fuzzyFileSearch", { query: "plant", roots: [workspace] });
    assert.deepEqual(
      ["plain", "terminal"].filter((kind) => !outputs(again).join("").includes(kind)),
      [],
    );
    await again.stop();
    const { stderr } = await again.ended;
    // Node reports where it looks for compiled code, if it looks at all.
    for (const each of open) assert.ok(!stderr.includes(each), `compiled code was looked for in ${each}`);
    assert.deepEqual(existsSync(evidence) ? readFileSync(evidence, "utf8").trim().split("\n") : [], [], "planted files were run");
    assert.equal(readFileSync(at("victim/pipe-0-0"), "utf8"), "mine");
  });
