/**
 * `npm run test:vscode`: plays the extension in a real VS Code (code-server in Debian's Chromium) with the scripted model. Words after it
 * choose plays by their names. Screenshots are kept in test-output/vscode.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { packExtension } from "../../../scripts/pack-vscode.ts";
import { errorStack } from "../../../src/lib/error-text.ts";
import { launch } from "../../web/test/browser.ts";
import { installCodeServer, startEditor } from "./code-server.ts";
import { connected, resilience, served } from "./elsewhere.ts";
import { makeStage, type Stage } from "./model.ts";
import { approvals, asking, changes, modal, type Plays, surroundings, tools } from "./plays.ts";
import { Window } from "./window.ts";
import { readWire } from "./wire.ts";
import { newcomer, untrusted, workplace } from "./workplace.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const shots = path.join(root, "test-output/vscode");
const wanted = process.argv.slice(2);

interface Act {
  readonly name: string;
  readonly plays: Plays;
  /** The settings of the server for this act. */
  settings(stage: Stage, wire: string): Promise<Readonly<Record<string, unknown>>> | Readonly<Record<string, unknown>>;
  readonly after?: () => Promise<void>;
  /** The panel has no page of its own at first. */
  readonly isRestricted?: true;
}

/** The server behind the recorder, so that the wire can be looked at. */
const recorded =
  (dialect: string) =>
  ({ home }: Stage, wire: string) => ({
    "parley.server.path": process.execPath,
    "parley.server.args": [path.join(import.meta.dirname, "recorder.ts"), wire, path.join(root, "bin/parley"), "app-server"],
    "parley.server.env": { CODEX_HOME: home },
    "parley.server.dialect": dialect,
  });

const acts: readonly Act[] = [
  { name: "today's protocol", plays: { ...approvals, ...changes, ...asking, ...tools, ...surroundings }, settings: recorded("current") },
  { name: "the workplace", plays: workplace, settings: recorded("current") },
  {
    name: "a home without settings",
    plays: newcomer,
    settings: ({ folder }) => ({ "parley.server.env": { CODEX_HOME: path.join(folder, "empty") } }),
  },
  {
    name: "a folder that is not trusted",
    plays: untrusted,
    isRestricted: true,
    settings: ({ home }) => ({
      "parley.server.env": { CODEX_HOME: home },
      "security.workspace.trust.enabled": true,
      "security.workspace.trust.startupPrompt": "never",
    }),
  },
  {
    name: "modal dialogs",
    plays: modal,
    settings: (stage, wire) => ({ ...recorded("current")(stage, wire), "parley.approvals.display": "modal" }),
  },
  { name: "the editor document's own words", plays: asking, settings: recorded("seed-000") },
  { name: "the bundled server", plays: resilience, settings: ({ home }) => ({ "parley.server.env": { CODEX_HOME: home } }) },
  { name: "a server that runs elsewhere", plays: connected, settings: (stage) => served.start(stage), after: () => served.stop() },
];

const failures: string[] = [];
let passed = 0;
installCodeServer();
rmSync(shots, { recursive: true, force: true });
const scratch = mkdtempSync(path.join(tmpdir(), "parley-vscode-"));
const vsix = await packExtension(scratch);
const browser = await launch();
if (browser === undefined) throw new Error("there is no Chromium: install Debian's chromium, or name one in PARLEY_CHROMIUM");
try {
  for (const act of acts) await perform(act);
} finally {
  await browser.close();
  rmSync(scratch, { recursive: true, force: true });
}
for (const failure of failures) console.error(failure);
console.log(`${passed} passed, ${failures.length} failed; screenshots in ${path.relative(process.cwd(), shots)}`);
process.exitCode = failures.length === 0 && passed > 0 ? 0 : 1;

async function perform(act: Act): Promise<void> {
  const plays = Object.entries(act.plays).filter(
    ([name]) => wanted.length === 0 || wanted.some((word) => `${act.name}: ${name}`.includes(word)),
  );
  if (plays.length === 0) return;
  console.log(act.name);
  const folder = path.join(scratch, act.name.replaceAll(/\W+/g, "-"));
  const pictures = path.join(shots, act.name.replaceAll(/\W+/g, "-"));
  mkdirSync(pictures, { recursive: true });
  const stage = makeStage(folder);
  const wire = path.join(folder, "wire.jsonl");
  const editor = await startEditor({ folder, vsix, settings: await act.settings(stage, wire) });
  try {
    if (browser === undefined) return;
    const window = await Window.open(browser, `${editor.url}/?folder=${stage.project}`, pictures);
    if (act.isRestricted !== true) await window.openPanel();
    for (const [name, play] of plays) await one(act, name, { window, stage, wire, folder }, play);
    await window.close();
  } finally {
    await editor.close();
    await act.after?.();
  }
}

async function one(
  act: Act,
  name: string,
  { window, stage, wire, folder }: { window: Window; stage: Stage; wire: string; folder: string },
  play: Plays[string],
): Promise<void> {
  const started = performance.now();
  const before = readWire(wire).length;
  makeStage(folder);
  for (const file of ["ran.txt", "twice.txt", "src/errors.ts"]) rmSync(path.join(stage.project, file), { force: true });
  try {
    await play({ window, stage, wire: () => readWire(wire).slice(before) });
    passed++;
    console.log(`  ok   ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  } catch (error) {
    await window.shot("FAILED").catch(() => {});
    failures.push(`${act.name}: ${name}: ${errorStack(error)}`);
    console.log(`  FAIL ${name}`);
    await window.page.keyboard.press("Escape");
  }
}
