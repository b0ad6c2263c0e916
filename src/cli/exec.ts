/** `parley exec`: one turn without a person, for scripts and CI. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ExecEvents } from "../adapters/exec/events.ts";
import { runTask, type Task } from "../adapters/exec/run.ts";
import { Transcript } from "../adapters/exec/transcript.ts";
import type { Client } from "../client/client.ts";
import { connectInProcess } from "../main/in-process.ts";
import { localModel } from "../main/local-model.ts";
import { RpcError } from "../protocol/errors.ts";
import { type ExecFlags, execFlags, newest, profileFrom, sandboxFrom, taskWords } from "./exec-flags.ts";
import { openApp } from "./own-app.ts";
import { type Globals, readFlags, StartError, UsageError } from "./usage.ts";
import { version } from "./version.ts";

export async function run(args: readonly string[], globals: Globals): Promise<number> {
  const { values, positionals } = readFlags(args, execFlags);
  const words = taskWords(positionals, values);
  sandboxFrom(values); // a wrong word is refused before anything is opened
  const cwd = path.resolve(values.cd ?? process.cwd());
  if (!existsSync(cwd)) throw new StartError(`no such folder: ${cwd}`);
  const outputSchema = values["output-schema"] === undefined ? undefined : readSchema(values["output-schema"]);
  const local =
    values.oss === true ? await localModel({ provider: values["local-provider"], model: values.model, flags: globals.config }) : undefined;
  const app = openApp(globals, values, { overrides: [...(local ?? []), ...profileFrom(values)] });
  const { warnings } = app.config.effective(cwd);
  if (values["strict-config"] === true && warnings.length > 0) throw new StartError(`--strict-config: ${warnings.join("; ")}`);
  if (values["skip-git-repo-check"] !== true && !app.config.effective(cwd).trusted && (await app.git.root(cwd)) === undefined) {
    console.error("Not inside a trusted directory and --skip-git-repo-check was not specified.");
    return 1;
  }
  const task = await readTask(words);
  const client = await connectInProcess(app, {
    clientInfo: { name: process.env["CODEX_INTERNAL_ORIGINATOR_OVERRIDE"] ?? "codex_exec", title: "Parley exec", version },
    door: { source: "exec", unattended: true },
  });
  try {
    return await carryOut(client, await namedThread(task, client), values, { cwd, outputSchema });
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    console.error(`Error: ${task.kind === "resume" ? "thread/resume: thread/resume failed: " : ""}${error.message} (code ${error.code})`);
    return 1;
  } finally {
    await app.close();
    client.close();
    setImmediate(() => process.exit()); // idle connections to models must not keep a finished run alive
  }
}

async function carryOut(
  client: Client,
  task: Task,
  values: ExecFlags,
  { cwd, outputSchema }: { cwd: string; outputSchema: unknown },
): Promise<number> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const isJson = values.json === true || values["experimental-json"] === true;
  const events = new ExecEvents((event) => process.stdout.write(`${JSON.stringify(event)}\n`));
  const transcript = new Transcript((text) => process.stderr.write(text), wantsColour(values.color));
  let tokens = 0;
  client.on("thread/tokenUsage/updated", (p) => {
    tokens = p.tokenUsage.total.totalTokens;
  });
  const ended = await runTask(client, task, {
    settings: {
      cwd,
      model: values.model ?? null,
      sandbox: sandboxFrom(values) ?? null,
      approvalPolicy: values["dangerously-bypass-approvals-and-sandbox"] === true ? "never" : (configuredPolicy(values) ?? "never"),
      ephemeral: values.ephemeral === true,
      threadSource: values["thread-source"] ?? null,
      runtimeWorkspaceRoots: values["add-dir"] === undefined ? null : values["add-dir"].map((dir) => path.resolve(dir)),
    },
    images: (values.image ?? []).flatMap((list) => list.split(",")).map((file) => path.resolve(file)),
    outputSchema,
    signal: stop.signal,
    onOpen(answer) {
      if (isJson) {
        events.threadStarted(answer.thread.id);
        events.listen(client, answer.thread.id);
        return;
      }
      transcript.opened(answer, version);
      if (task.kind !== "review") transcript.prompt(task.prompt);
      transcript.listen(client, answer.thread.id);
    },
  });
  if (isJson) events.turnEnded(ended.turn);
  else {
    transcript.usage(tokens);
    if (ended.lastMessage !== null && !(process.stdout.isTTY && process.stderr.isTTY)) process.stdout.write(`${ended.lastMessage}\n`);
  }
  const file = values["output-last-message"];
  if (file !== undefined && ended.turn.status === "completed") writeFileSync(file, ended.lastMessage ?? "");
  return ended.turn.status === "completed" ? 0 : 1;
}

/** `--last` is the newest session of any kind. */
async function namedThread(task: Task, client: Client): Promise<Task> {
  if (task.kind !== "resume" || task.threadId !== newest) return task;
  const { data } = await client.call("thread/list", {
    limit: 1,
    sortKey: "updated_at",
    sourceKinds: ["cli", "vscode", "exec", "appServer"],
  });
  if (data[0] === undefined) throw new StartError("there is no session to resume");
  return { ...task, threadId: data[0].id };
}

/** `-c approval_policy=…` counts; without it nobody is asked, since nobody is there. */
function configuredPolicy(values: ExecFlags): null | undefined {
  return (values.config ?? []).some((word) => word.startsWith("approval_policy=")) ? null : undefined;
}

function wantsColour(choice: string | undefined): boolean {
  if (choice === "always") return true;
  return choice !== "never" && process.stderr.isTTY === true && !process.env["NO_COLOR"];
}

function readSchema(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new StartError(`cannot read the output schema ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function readTask(words: ReturnType<typeof taskWords>): Promise<Task> {
  if (words.kind === "review") return words;
  const prompt = await readPrompt(words.prompt);
  return words.kind === "new" ? { kind: "new", prompt } : { kind: words.kind, threadId: words.threadId, prompt };
}

/** A missing prompt is read from stdin; a given one may have more context on stdin. */
async function readPrompt(given: string | undefined): Promise<string> {
  const fromStdin = given === undefined || given === "-";
  if (fromStdin && process.stdin.isTTY) throw new UsageError("no prompt: give one as an argument or on stdin");
  if (process.stdin.isTTY) return given ?? "";
  console.error(fromStdin ? "Reading prompt from stdin..." : "Reading additional input from stdin...");
  const text = await readAll();
  if (!fromStdin) return text.trim() === "" ? given : `${given}\n\n<stdin>\n${text}\n</stdin>`;
  if (text.trim() === "") throw new StartError("no prompt was given on stdin");
  return text;
}

async function readAll(): Promise<string> {
  const parts: Buffer[] = [];
  for await (const chunk of process.stdin) parts.push(chunk as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
