/** A complete server in temporary folders, with a mock vendor as its provider. Serves the suites of the agent's bench. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Client, openClient } from "../../src/client/client.ts";
import { startServer } from "../../test/support/server.ts";

export const free = { approvalPolicy: "never", sandbox: "danger-full-access" } as const;

/** The smallest possible image, as base64. */
export const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

export interface Place {
  readonly client: Client;
  readonly workspace: string;
}

/** `config`: the content of config.toml. */
export async function onStage<T>(config: string, use: (place: Place) => Promise<T>): Promise<T> {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "parley-agent-")));
  const folders = { home: path.join(root, "home"), workspace: path.join(root, "work"), systemDir: path.join(root, "etc") };
  for (const folder of Object.values(folders)) mkdirSync(folder);
  writeFileSync(path.join(folders.home, "config.toml"), config);
  const server = await startServer(folders);
  try {
    const client = await openClient(await server.connect());
    const result = await use({ client, workspace: folders.workspace });
    client.close();
    return result;
  } finally {
    await server.stop().catch(() => undefined);
    rmSync(root, { recursive: true, force: true });
  }
}

/** Compacts the thread; returns that turn's status. */
export async function compact(client: Client, threadId: string): Promise<string> {
  const ended = Promise.withResolvers<string>();
  const stop = client.on("turn/completed", ({ turn }) => ended.resolve(turn.status));
  await client.call("thread/compact/start", { threadId });
  const status = await ended.promise;
  stop();
  return status;
}
