/** Several versions of Parley on one home at the same time: each serves and lists all threads, and none deletes another's index. */
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { LiveServer, verifiesLive } from "../support/live-server.ts";
import { home, preload, settings, stage, textsOf } from "../support/live-stage.ts";
import type { Message } from "../support/wire.ts";

const indexOf = (folder: string): string => path.join(home(folder), "parley", "index.sqlite");

function versionIn(file: string): number {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
  } finally {
    db.close();
  }
}

/** A server whose thread index has another version number and other tables than ours. */
const ofVersion = (t: TestContext, folder: string, number: number, here: number): Promise<LiveServer> =>
  LiveServer.start(t, folder, {
    env: { NODE_OPTIONS: preload("other-index"), PARLEY_TEST_INDEX: `${number}`, PARLEY_TEST_INDEX_HERE: `${here}` },
  });

const listed = async (server: LiveServer, archived = false): Promise<string[]> =>
  (await server.call("thread/list", { archived })).data.map(({ id }: Message) => id).sort();

verifiesLive("trust.twoVersions", async (t) => {
  const folder = stage(t);
  const today = await LiveServer.start(t, folder);
  const begin = async (server: LiveServer, text: string): Promise<string> => {
    const threadId = await server.startThread(settings(folder));
    await server.turn(threadId, text);
    return threadId;
  };
  const ids = [await begin(today, "by today's")];
  assert.deepEqual(await listed(today), ids);
  const here = versionIn(indexOf(folder));

  const others = [await ofVersion(t, folder, here + 1, here), await ofVersion(t, folder, here - 1, here)];
  const [newer, older] = others;
  assert.ok(newer && older);
  const all = [today, newer, older];
  ids.push(await begin(newer, "by the newer"), await begin(older, "by the older"));
  for (const server of [newer, today, older]) assert.deepEqual(await listed(server), ids.toSorted());
  const { ino } = statSync(indexOf(folder));
  assert.equal(versionIn(indexOf(folder)), here + 1);

  ids.push(await begin(today, "by today's again"));
  const [archived = ""] = ids.splice(1, 1);
  await newer.call("thread/unsubscribe", { threadId: archived });
  await newer.call("thread/archive", { threadId: archived });
  for (const server of all) {
    assert.deepEqual(await listed(server), ids.toSorted());
    assert.deepEqual(await listed(server, true), [archived]);
  }
  assert.deepEqual([statSync(indexOf(folder)).ino, versionIn(indexOf(folder))], [ino, here + 1], "the newer one's list is its own");

  for (const server of all) await server.stop();
  const later = await LiveServer.start(t, folder);
  assert.deepEqual(await listed(later), ids.toSorted());
  const read = await Promise.all([archived, ...ids].map((threadId) => later.call("thread/read", { threadId, includeTurns: true })));
  assert.deepEqual(
    read.flatMap(({ thread }) => textsOf(thread.turns)),
    ["by the newer", "by today's", "by the older", "by today's again"],
  );
});
