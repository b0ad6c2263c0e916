/** Skills over the wire. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { responsesFrames } from "../../support/model-mocks/frames.ts";
import { MockProvider, stream } from "../../support/model-mocks/server.ts";
import { type Stage, type StageOptions, verifies } from "../../support/verifies.ts";
import type { Wire } from "../../support/wire.ts";

async function open(stage: Stage, options: StageOptions = {}): Promise<Wire> {
  const wire = await stage.wire(options);
  await wire.initialize({ experimentalApi: true });
  return wire;
}
function skill(folder: string, name: string, body = "Body."): string {
  const file = path.join(folder, name, "SKILL.md");
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `---\nname: ${name}\ndescription: About ${name}.\n---\n\n${body}\n`);
  return file;
}
const own = (stage: Stage): string => path.join(stage.home, "skills");
const list = async (wire: Wire, stage: Stage) => (await wire.ask("skills/list", { cwds: [stage.workspace] })).result.data[0];
/** Runs one turn in a new thread against a provider that records its requests; returns the last request as text. */
async function sentFor(wire: Wire, stage: Stage, provider: MockProvider, input: unknown[]): Promise<string> {
  const { result } = await wire.ask("thread/start", { cwd: stage.workspace, modelProvider: "mock", model: "mock-model" });
  await wire.ask("turn/start", { threadId: result.thread.id, input });
  await wire.until((m) => m.method === "turn/completed" && m.params.threadId === result.thread.id);
  return JSON.stringify(provider.requests.at(-1)?.body ?? {});
}
const answering = (): MockProvider => new MockProvider(stream(responsesFrames({ text: "ok" })));
const useProvider = (wire: Wire, url: string) =>
  wire.ask("config/value/write", { keyPath: "model_providers.mock", value: { base_url: `${url}/v1` }, mergeStrategy: "replace" });

verifies("skills.list", async (stage) => {
  const file = skill(own(stage), "bake");
  mkdirSync(path.join(own(stage), "broken"));
  writeFileSync(path.join(own(stage), "broken", "SKILL.md"), "no head\n");
  const wire = await open(stage);
  const { result } = await wire.ask("skills/list", { cwds: [stage.workspace, stage.home], forceReload: true });
  assert.deepEqual(
    result.data.map(({ cwd }: { cwd: string }) => cwd),
    [stage.workspace, stage.home],
  );
  const [{ skills, errors }] = result.data;
  const bake = skills.find(({ name }: { name: string }) => name === "bake");
  assert.deepEqual([bake.path, bake.scope, bake.enabled, bake.description], [file, "user", true, "About bake."]);
  assert.deepEqual(errors, [{ path: path.join(own(stage), "broken", "SKILL.md"), message: "missing YAML frontmatter delimited by ---" }]);
  assert.deepEqual(
    skills.filter(({ scope }: { scope: string }) => scope === "system").map(({ name }: { name: string }) => name),
    ["skill-creator", "skill-installer"],
  );
});

verifies("skills.inject", async (stage) => {
  const file = skill(own(stage), "bake", "MARKER-BAKE");
  skill(own(stage), "brew", "MARKER-BREW");
  await using provider = answering();
  const wire = await open(stage);
  await useProvider(wire, await provider.listen());
  const text = await sentFor(wire, stage, provider, [
    { type: "text", text: "please $brew" },
    { type: "skill", name: "bake", path: file },
  ]);
  for (const marker of ["MARKER-BAKE", "MARKER-BREW", "About bake."]) assert.ok(text.includes(marker), `${marker} is missing`);
});

verifies("skills.untrusted", async (stage) => {
  mkdirSync(path.join(stage.workspace, ".git"));
  const file = skill(path.join(stage.workspace, ".agents", "skills"), "evil", "MARKER-EVIL");
  await using provider = answering();
  const wire = await open(stage);
  await useProvider(wire, await provider.listen());
  const { skills } = await list(wire, stage);
  assert.equal(skills.find(({ name }: { name: string }) => name === "evil").scope, "repo");
  const input = [
    { type: "text", text: "use it" },
    { type: "skill", name: "evil", path: file },
  ];
  const before = await sentFor(wire, stage, provider, input);
  assert.ok(!before.includes("MARKER-EVIL") && !before.includes("About evil."));
  const mentioned = await sentFor(wire, stage, provider, [{ type: "text", text: "use $evil" }]);
  assert.ok(!mentioned.includes("MARKER-EVIL"));
  for (const sent of [before, mentioned]) assert.match(sent, /Not available: it belongs to the project .*, which the user has not trusted/);
  const keyPath = `projects.${JSON.stringify(stage.workspace)}.trust_level`;
  await wire.ask("config/value/write", { keyPath, value: "trusted", mergeStrategy: "replace" });
  assert.ok((await sentFor(wire, stage, provider, input)).includes("MARKER-EVIL"));
});

verifies("skills.changed", async (stage) => {
  const file = skill(own(stage), "bake");
  const wire = await open(stage);
  const { result, id } = await wire.ask("skills/config/write", { path: file, enabled: false });
  assert.equal(result.effectiveEnabled, false);
  await wire.notification("skills/changed");
  const order = wire.received.filter((m) => m.id === id || m.method === "skills/changed").map((m) => m.method);
  assert.deepEqual(order, [undefined, "skills/changed"], "the answer, then once what it causes");
  assert.equal((await list(wire, stage)).skills.find(({ name }: { name: string }) => name === "bake").enabled, false);
  assert.ok((await wire.ask("skills/config/write", { enabled: true })).error);
  const received = (): number => wire.received.filter((m) => m.method === "skills/changed").length;
  const before = received();
  skill(own(stage), "brew");
  await wire.until(() => received() > before, "skills/changed after an edit");
});

verifies("skills.extraRoots", async (stage) => {
  const wire = await open(stage);
  skill(path.join(stage.workspace, "elsewhere"), "far");
  const names = async (): Promise<string[]> => (await list(wire, stage)).skills.map(({ name }: { name: string }) => name);
  assert.ok(!(await names()).includes("far"));
  assert.match(
    (await wire.ask("skills/extraRoots/set", { extraRoots: ["x"] })).error.message,
    /extraRoots must be an absolute path, got "x"/,
  );
  assert.deepEqual((await wire.ask("skills/extraRoots/set", { extraRoots: [path.join(stage.workspace, "elsewhere")] })).result, {});
  await wire.notification("skills/changed");
  assert.ok((await names()).includes("far"));
  await wire.ask("skills/extraRoots/set", { extraRoots: [] });
  assert.ok(!(await names()).includes("far"), "an empty list takes them away");
});

verifies("skills.onlyNamed", async (stage) => {
  skill(own(stage), "quiet", "QUIET BODY");
  mkdirSync(path.join(own(stage), "quiet", "agents"));
  writeFileSync(path.join(own(stage), "quiet", "agents", "openai.yaml"), "policy:\n  allow_implicit_invocation: false\n");
  skill(own(stage), "loud");
  await using provider = answering();
  const wire = await open(stage);
  await useProvider(wire, await provider.listen());
  const unasked = await sentFor(wire, stage, provider, [{ type: "text", text: "hello" }]);
  assert.ok(unasked.includes("About loud.") && !unasked.includes("About quiet."), "it is not put before the model");
  assert.ok((await sentFor(wire, stage, provider, [{ type: "text", text: "use $quiet" }])).includes("QUIET BODY"));
});
