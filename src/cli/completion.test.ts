import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { allPlaces, completionScript } from "./completion.ts";

const folder = mkdtempSync(path.join(tmpdir(), "parley-completion-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const has = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).status === 0;
const file = (shell: string): string => path.join(folder, shell);

before(async () => {
  const places = await allPlaces();
  for (const shell of ["bash", "zsh", "fish"] as const) writeFileSync(file(shell), completionScript(shell, places));
});

/** What a shell suggests at the end of a line. */
const shells: Readonly<Record<string, (line: string) => readonly string[]>> = {
  bash(line) {
    const args = line.split(" ");
    const ask = `. ${file("bash")}; COMP_WORDS=(${args.map((arg) => `'${arg}'`).join(" ")}); COMP_CWORD=${args.length - 1}; _parley; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return lines("bash", ["--norc", "-c", ask]);
  },
  zsh(line) {
    // Outside an interactive shell the completion's built-in commands are replaced by ones that print.
    const args = line.split(" ");
    const ask = [
      `compdef() { :; }; compadd() { shift; print -rl -- "$@"; }; _files() { print -r FILES; }; _message() { :; }`,
      `_describe() { local name=\${@[-1]} entry; for entry in \${(P)name}; do entry=\${entry%%:*}; [[ $entry == \${words[CURRENT]}* ]] && print -r -- $entry; done }`,
      `. ${file("zsh")}; words=(${args.map((arg) => `'${arg}'`).join(" ")}); CURRENT=${args.length}; _parley`,
    ].join("\n");
    return lines("zsh", ["-f", "-c", ask]);
  },
  fish: (line) =>
    lines("fish", ["--no-config", "-c", `source ${file("fish")}; complete -C '${line}'`]).map((offer) => offer.split("\t")[0] ?? ""),
};

function lines(program: string, args: readonly string[]): readonly string[] {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: folder },
  });
  assert.equal(stderr, "", `${program} complained`);
  assert.ok(status === 0 || status === 1, `${program} ended with ${status}`);
  return stdout.split("\n").filter((line) => line !== "");
}

for (const [shell, complete] of Object.entries(shells)) {
  const skip = has(shell) ? false : `${shell} is not installed`;
  test(`${shell}: commands, subcommands, flags and values`, { skip }, () => {
    for (const [line, offers] of [
      ["parley app", ["app-server"]],
      ["parley mcp lo", ["login", "logout"]],
      ["parley app-server --lis", ["--listen"]],
      ["parley app-server --compat ", ["seed-000", "0.92", "0.166"]],
      ["parley -c model=x exec --sandbox ", ["read-only", "workspace-write", "danger-full-access"]],
      ["parley mcp add --bearer", ["--bearer-token-env-var"]],
      ["parley completion b", ["bash"]],
    ] as const)
      assert.deepEqual(
        complete(line)
          .filter((offer) => offer !== "FILES")
          .toSorted(),
        offers.toSorted(),
        line,
      );
    const top = complete("parley ");
    for (const command of ["exec", "mcp", "doctor"]) assert.ok(top.includes(command), `${command} in ${top}`);
    assert.ok(!complete("parley mcp ").includes("exec"), "only what fits the place");
  });
}
