/** `parley tour`: plays the server's offline tour in the terminal, as a client of a real server in folders that are deleted afterwards. */
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { type Client, type RunOptions, spawnClient, type Thread, TurnFailed } from "../client/client.ts";
import { makePrivateFolder } from "../lib/private-folder.ts";
import { toStdout } from "./usage.ts";

interface Step {
  readonly input: string;
  /** The turn is meant to fail. */
  readonly fails?: boolean;
  readonly options?: RunOptions;
}

const steps: readonly Step[] = [
  { input: "hello" },
  { input: "show me a plan" },
  { input: "run a command" },
  { input: "propose a patch" },
  { input: "ask me a question", options: { collaborationMode: { mode: "plan", settings: { model: "scripted" } } } },
  { input: "now fail", fails: true },
];

export async function run(): Promise<number> {
  const folder = makePrivateFolder("parley-tour-");
  const home = path.join(folder, "home");
  const workspace = path.join(folder, "workspace");
  for (const made of [home, workspace]) mkdirSync(made);
  // Without keys and settings the server finds no model and plays its own script.
  const { PATH, HOME, LANG, SHELL, TERM } = process.env;
  const client = await spawnClient({
    cwd: workspace,
    env: { PATH, HOME, LANG, SHELL, TERM, CODEX_HOME: home },
    clientInfo: { name: "parley_tour", title: "Parley tour", version: "1" },
  });
  try {
    print(`Connected: ${client.server.userAgent}`);
    answerEverything(client);
    showWhatHappens(client);
    const thread = await client.startThread({ cwd: workspace, sandbox: "workspace-write", approvalPolicy: "untrusted" });
    print(`Started thread ${thread.id}`);
    let strange = 0;
    for (const step of steps) if (!(await play(thread, step))) strange++;
    print("\nThat was the tour. `parley app-server --help` and README.md say how to go on.");
    return strange === 0 ? 0 : 1;
  } finally {
    client.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** True when the turn ended as expected. */
async function play(thread: Thread, { input, fails = false, options }: Step): Promise<boolean> {
  print(`\n› ${input}\n`);
  try {
    await thread.run(input, { ...options, onText: (delta) => toStdout(delta) });
    print("");
    return !fails;
  } catch (error) {
    if (!(error instanceof TurnFailed)) throw error;
    print(`✖ ${error.message}`);
    return fails;
  }
}

/** The tour approves its own requests and shows that it was asked. */
function answerEverything(client: Client): void {
  client.answer("item/commandExecution/requestApproval", ({ command }) => {
    print(`? May it run ${command ?? "this"} — yes`);
    return { decision: "accept" };
  });
  client.answer("item/fileChange/requestApproval", () => {
    print("? May it change the files — yes");
    return { decision: "accept" };
  });
  client.answer("item/tool/requestUserInput", ({ questions }) => {
    const answers = questions.map(({ id, question, options }) => {
      const answer = options?.[0]?.label ?? "yes";
      print(`? ${question} — ${answer}`);
      return [id, { answers: [answer] }] satisfies [string, { answers: string[] }];
    });
    return { answers: Object.fromEntries(answers) };
  });
}

function showWhatHappens(client: Client): void {
  client.on("turn/plan/updated", ({ plan }) => {
    for (const { step, status } of plan) print(`${status === "completed" ? "☑" : status === "inProgress" ? "▸" : "☐"} ${step}`);
  });
  client.on("item/completed", ({ item }) => {
    if (item.type === "commandExecution") print(`$ ${item.command}  [${item.status}]\n${item.aggregatedOutput ?? ""}`.trimEnd());
    if (item.type === "fileChange")
      print(item.changes.map(({ path: file, kind }) => `± ${kind.type} ${file}  [${item.status}]`).join("\n"));
  });
}

const print = (text: string): void => toStdout(`${text}\n`);
