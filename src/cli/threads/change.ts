/** `parley threads archive`, `delete` and `repair`: the subcommands that change the store. */
import { existsSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline/promises";
import { type RepairResult, repairThread } from "../../main/repair-thread.ts";
import type { Thread } from "../../protocol/thread.ts";
import { titleOf } from "../../sessions/export/transcript.ts";
import { print, printJson, StartError, toStderr, UsageError } from "../usage.ts";
import { threadOf, threadsNamed } from "./find.ts";
import type { Context, Values } from "./threads.ts";

/** Nobody else may have the thread open meanwhile. */
async function alone<T>({ app }: Context, id: string, work: () => Promise<T>): Promise<T> {
  const lease = await app.store.lease(id, "parley threads").catch((error: Error) => {
    throw new StartError(error.message);
  });
  try {
    return await work();
  } finally {
    lease.release();
  }
}

export async function archive(context: Context, args: readonly string[], values: Values<"archive">): Promise<number> {
  const method = values.undo === true ? "thread/unarchive" : "thread/archive";
  const threads = await threadsNamed(context.client, args, values.last === true);
  for (const { id } of threads) await alone(context, id, () => context.client.call(method, { threadId: id }));
  return report(threads, values.undo === true ? "Unarchived" : "Archived", values.json === true);
}

export async function remove(context: Context, args: readonly string[], values: Values<"delete">): Promise<number> {
  const threads = await threadsNamed(context.client, args, values.last === true);
  if (values.yes !== true && values.force !== true && !(await confirmed(threads))) {
    toStderr("Nothing was deleted.");
    return 1;
  }
  // Forks before their origin: a thread that others refer to is not deleted.
  const newestFirst = [...threads].sort((a, b) => b.createdAt - a.createdAt);
  for (const { id } of newestFirst) await alone(context, id, () => context.client.call("thread/delete", { threadId: id }));
  return report(threads, "Deleted", values.json === true);
}

async function confirmed(threads: readonly Thread[]): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UsageError("there is no terminal to ask on; pass --yes to delete without a question");
  for (const thread of threads) toStderr(`  ${thread.id}  ${titleOf(thread)}`);
  const ask = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await ask.question(`Delete ${threads.length === 1 ? "this thread" : `these ${threads.length} threads`} for good? [y/N] `);
  ask.close();
  return /^y(?:es)?$/i.test(answer.trim());
}

function report(threads: readonly Thread[], done: string, json: boolean): number {
  if (json) return printJson(threads.map(({ id }) => id));
  return print(threads.map(({ id }) => `${done} ${id}\n`).join(""));
}

export async function repair({ app, client }: Context, args: readonly string[], values: Values<"repair">): Promise<number> {
  const [target, extra] = args;
  if (target === undefined || extra !== undefined) throw new UsageError("name one thread or one file");
  if (values.check === true && values.output !== undefined) throw new UsageError("--check writes nothing; leave --output out");
  const file = existsSync(target) ? path.resolve(target) : (await threadOf(client, [target], false)).path;
  if (file == null) throw new StartError(`thread ${target} has no file`);
  const into = values.check === true ? "none" : values.output === undefined ? "thread" : { file: values.output };
  const look = await repairThread(file, { home: app.codexHome, into: "none" }).catch(fail);
  const isWhole = look.problems.length === 0 && look.lines > 0;
  const result = isWhole && into === "thread" ? look : await repairThread(file, { home: app.codexHome, into }).catch(fail);
  if (values.json === true) printJson(result);
  else reportRepair(result);
  return result.lines === 0 || (values.check === true && !isWhole) ? 1 : 0;
}

function fail(error: Error): never {
  throw new StartError(error.message);
}

function reportRepair({ file, problems, lines, copy, threadId }: RepairResult): void {
  for (const { line, what } of problems) print(`${line === 0 ? "      " : `line ${line}:`} ${what}\n`);
  if (lines === 0) print(`Nothing in ${file} can be saved.\n`);
  else if (problems.length === 0) print(`${file} is whole.\n`);
  if (copy !== undefined) print(`Saved ${lines} lines in ${copy}\n`);
  if (threadId !== undefined) print(`The copy is thread ${threadId}; the damaged file stays as it is.\n`);
}
