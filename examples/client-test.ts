/** How a client is tested without a model, without cost and with the same result every time. Run it with `node --test`. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { type Client, spawnClient } from "@parley-agent/parley/client";

/** The client under test: asks for a summary and refuses every command. */
async function summarize(client: Client, cwd: string): Promise<string> {
  client.answer("item/commandExecution/requestApproval", () => ({ decision: "decline" }));
  const thread = await client.startThread({ cwd, approvalPolicy: "untrusted" });
  return (await thread.run("Summarize this folder.")).text;
}

/** A server whose model plays the given scenario, in a home of its own. */
async function serverWith(turns: unknown, folder: string): Promise<Client> {
  const scenario = path.join(folder, "scenario.json");
  writeFileSync(scenario, JSON.stringify({ turns }));
  return spawnClient({ env: { PATH: process.env["PATH"], CODEX_HOME: path.join(folder, "home"), PARLEY_SCENARIO: scenario } });
}

test("a refused command is told to the model, and its answer comes back", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "client-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  using client = await serverWith(
    [[{ run: "rm -rf build" }, { expect: { output: "/rejected|declined|denied/" } }, { say: "I was not allowed to look." }]],
    folder,
  );
  assert.equal(await summarize(client, folder), "I was not allowed to look.");
});

test("a provider that fails becomes an error with its words", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "client-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  using client = await serverWith([[{ fail: { kind: "usageLimitExceeded", message: "come back tomorrow" } }]], folder);
  await assert.rejects(summarize(client, folder), /come back tomorrow/);
});
