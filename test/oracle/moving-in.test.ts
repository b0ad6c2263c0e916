/** Sessions and plugins of another agent, found and imported by the real Codex 0.166 and by Parley. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { responsesFrames } from "../support/model-mocks/frames.ts";
import { MockProvider, stream } from "../support/model-mocks/server.ts";
import type { Message } from "../support/wire.ts";
import { playOnBoth, skip } from "./side.ts";

const model = new MockProvider((response, request) => stream(responsesFrames({ text: "answered" }))(response, request));
test.after(() => model[Symbol.asyncDispose]());

function plant(folder: string): void {
  const line = (type: string, content: unknown, uuid: string): string =>
    JSON.stringify({
      ...{ type, uuid, parentUuid: null, isSidechain: false, userType: "external", cwd: path.join(folder, "ws"), version: "2.0.1" },
      ...{ sessionId: "0b1c2d3e-1111-4222-8333-444455556666", timestamp: new Date().toISOString(), message: { role: type, content } },
    });
  const files = {
    ".claude/projects/-ws/0b1c2d3e-1111-4222-8333-444455556666.jsonl": `${line("user", "Please fix it", "a")}\n${line("assistant", [{ type: "text", text: "Fixed." }], "b")}\n`,
    ".claude/settings.json": JSON.stringify({
      enabledPlugins: { "demo@mk": true, "other@unknown": true, "off@mk": false },
      extraKnownMarketplaces: { mk: { source: { source: "directory", path: path.join(folder, "market") } } },
    }),
    "market/.claude-plugin/marketplace.json": JSON.stringify({
      name: "mk",
      owner: { name: "x" },
      plugins: [{ name: "demo", source: "./demo" }],
    }),
    "market/demo/.claude-plugin/plugin.json": JSON.stringify({ name: "demo", version: "1.0.0", description: "d" }),
    "market/demo/skills/greet/SKILL.md": "---\nname: greet\ndescription: greets\n---\nhi\n",
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
}

test("sessions and plugins are found and imported alike", { skip, timeout: 300_000 }, async (t) => {
  const provider = await model.listen();
  const outcome = await playOnBoth(
    { t, provider },
    async (side) => {
      const detect = async () => (await side.call("externalAgentConfig/detect", { includeHome: true, cwds: [] })).items;
      const items: Message[] = await detect();
      const { importId } = await side.call("externalAgentConfig/import", { migrationItems: items });
      const { itemTypeResults } = await side.notified("externalAgentConfig/import/completed", (params) => params.importId === importId);
      const sessions = itemTypeResults.find(({ itemType }: Message) => itemType === "SESSIONS");
      const { thread } = await side.call("thread/read", { threadId: sessions.successes[0].target, includeTurns: true });
      const texts = thread.turns.flatMap((turn: Message) => turn.items.map((item: Message) => item.text ?? item.content[0].text));
      return {
        items: items.toSorted((a, b) => (a.itemType < b.itemType ? -1 : 1)),
        results: itemTypeResults
          .map(({ itemType, successes, failures }: Message) => [itemType, successes.length, successes[0]?.source, failures])
          .toSorted(),
        thread: [thread.preview, thread.cwd, texts.slice(0, 2)], // Codex adds a note of its own
        left: await detect(),
      };
    },
    plant,
  );
  assert.deepEqual(
    outcome.items.map(({ itemType }) => itemType),
    ["PLUGINS", "SESSIONS"],
  );
  assert.deepEqual(outcome.left, []);
});
