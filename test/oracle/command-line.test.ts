/** Every subcommand and flag that the real Codex 0.166 shows in its help: there is one of the same name here, or a sentence that says why not. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { aboutCodex } from "../../src/cli/codex-only.ts";
import { commands } from "../../src/cli/commands.ts";
import { helpFor } from "../../src/cli/help/helps.ts";
import { allFlags, settingsOf } from "../../src/cli/help/text.ts";
import { help as terminalHelp } from "../../src/cli/tui/help.ts";
import { scratch } from "../support/process.ts";
import { program, skip } from "./side.ts";

/** Not listed in Codex's help, but there. */
const hidden = [["execpolicy", "check"], ["app-server", "generate-internal-json-schema"], ["responses-api-proxy"], ["stdio-to-uds"]];

function shown(text: string): { readonly names: string[]; readonly flags: string[] } {
  const [, list = ""] = /^Commands:\n((?: .*\n|\n)*)/m.exec(text) ?? [];
  const names = [...list.matchAll(/^ {2}([a-z][a-z0-9-]*)/gm)].map(([, name = ""]) => name).filter((name) => name !== "help");
  const flags = [...text.matchAll(/^ {2,6}(?:-\w, )?(--[a-z][a-z0-9-]*)/gm)].map(([, flag = ""]) => flag);
  return { names, flags: flags.filter((flag) => flag !== "--help") };
}

/** Whether the whole line is known here; subcommands that take over the meaning of others count by their command. */
async function isHere(names: readonly string[]): Promise<boolean> {
  const found = await helpFor(names);
  const depth = found?.name.split(" ").length ?? 0;
  return depth === names.length + 1 || /^(?:exec|login|e)$/.test(names[0] ?? "");
}

test("nothing of Codex's command line is unknown without a reason", { skip }, async (t) => {
  const home = scratch(t);
  const open: (readonly string[])[] = [[], ...hidden];
  const missing: string[] = [];
  let count = 0;
  for (let names = open.shift(); names !== undefined; names = open.shift()) {
    const { stdout } = spawnSync(program, [...names, "--help"], { encoding: "utf8", env: { ...process.env, CODEX_HOME: home } });
    const { names: below, flags } = shown(stdout);
    const own = names.at(-1);
    if (own !== undefined && !(await isHere(names))) {
      if (aboutCodex(names.slice(0, -1), own) === undefined) missing.push(names.join(" "));
      continue; // what a missing command takes does not matter
    }
    const help = names.length === 0 ? terminalHelp : ((await helpFor(names))?.help ?? terminalHelp);
    const known = [...allFlags(help), ...settingsOf(help)].map(({ name }) => `--${name}`);
    const [command = ""] = names;
    for (const flag of flags) {
      count++;
      const isGlobal = ["--version", "--config", "--enable", "--disable"].includes(flag);
      if (!known.includes(flag) && !isGlobal && aboutCodex([...names], flag) === undefined) missing.push([...names, flag].join(" "));
    }
    if (command === "" || Object.hasOwn(commands, command)) open.push(...below.map((name) => [...(names ?? []), name]));
  }
  assert.ok(count > 300, `${count} flags`);
  assert.deepEqual(missing, []);
});
