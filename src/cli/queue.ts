/** `parley queue`: leaves a message that starts a turn of a thread as soon as the thread is idle. */

import type { Client } from "../client/client.ts";
import { errorMessage } from "../lib/error-text.ts";
import { randomUuid } from "../lib/random.ts";
import { connectInProcess } from "../main/in-process.ts";
import { RpcError } from "../protocol/errors.ts";
import { queueHelp } from "./help/small-helps.ts";
import { controlSocket } from "./listen-flags.ts";
import { withApp } from "./own-app.ts";
import { threadIdOf } from "./threads/find.ts";
import { codexHome, type Globals, print, printJson, readFlags, StartError, toStderr, UsageError, type Values } from "./usage.ts";
import { version } from "./version.ts";

const clientInfo = { name: "parley_queue", title: "Parley queue", version };

export async function run(args: readonly string[], globals: Globals): Promise<number> {
  const { values, positionals } = readFlags(args, queueHelp);
  if (positionals.length > 0) throw new UsageError(`queue takes no further argument: ${positionals[0]}`);
  const { thread, message, remote } = values;
  if (thread === undefined) throw new UsageError("--thread is missing: the id, its first letters, or the name of a thread");
  if (message === undefined || message.trim() === "") throw new UsageError("--message is missing or empty");
  const add = async (client: Client): Promise<number> => {
    const threadId = await threadIdOf(client, thread);
    const input = [{ type: "text" as const, text: message, text_elements: [] }];
    const { queuedSubmission } = await client.call("thread/queue/add", { threadId, clientUserMessageId: randomUuid(), input });
    if (values.resume === true) await openAt(remote === undefined ? undefined : client, threadId);
    if (values.json === true) return printJson({ threadId, queuedSubmission });
    return print(`Queued message ${queuedSubmission.id} for thread ${threadId}.\n`);
  };
  if (remote !== undefined) return await through(remote, values, add);
  return await withApp(globals, values.config ?? [], async (app) => add(await connectInProcess(app, { clientInfo })));
}

/** Whatever happens, the message waits. */
async function openAt(remote: Client | undefined, threadId: string): Promise<void> {
  let daemon: Client | undefined;
  try {
    if (remote === undefined) {
      const { connectClient } = await import("../client/client.ts");
      daemon = await connectClient(`unix://${controlSocket(codexHome())}`, { clientInfo });
    }
    await (remote ?? daemon)?.call("thread/resume", { threadId, excludeTurns: true });
  } catch (error) {
    toStderr(`warning: the message waits, but the thread could not be opened: ${errorMessage(error)}`);
  } finally {
    await daemon?.close();
  }
}

/** On a server that runs elsewhere; one that does not know queues says so itself. */
async function through(url: string, values: Values<typeof queueHelp>, add: (client: Client) => Promise<number>): Promise<number> {
  if (!/^(wss?|unix):\/\/./.test(url))
    throw new UsageError(`invalid value '${url}' for '--remote': expected ws://HOST:PORT, wss://… or unix://PATH`);
  const name = values["remote-auth-token-env"];
  const token = name === undefined ? undefined : process.env[name];
  if (name !== undefined && !token) throw new StartError(`--remote-auth-token-env: the variable ${name} is empty`);
  const { connectClient } = await import("../client/client.ts");
  const client = await connectClient(url, { clientInfo, ...(token === undefined ? {} : { token }) }).catch((error: unknown) => {
    throw new StartError(`cannot connect to ${url}: ${errorMessage(error)}`);
  });
  try {
    return await add(client);
  } catch (error) {
    throw error instanceof RpcError ? new StartError(`the server at ${url} refuses: ${error.message}`) : error;
  } finally {
    await client.close();
  }
}
