/** `npm run test:live`: the contract of the model clients against the real providers whose keys are set. Costs a few cents at most. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ModelEvent, ModelItem, ModelRequest } from "../../src/core/ports/model-client.ts";
import { createModelCatalog } from "../../src/models/catalog.ts";
import { createModelClients } from "../../src/models/registry.ts";
import { collect, contractTools, failureOf, itemsOf, joined, modelRequest, textOf, userText } from "../support/model-mocks/events.ts";
import { type LiveTarget, liveTargets } from "./providers.ts";

const patienceMs = 120_000;
/** 32 by 32 pixels of pure red. */
const red =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAKElEQVR4nO3NsQ0AAAzCMP5/un0CNkuZ41wybXsHAAAAAAAAAAAAxR4yw/wuPL6QkAAAAABJRU5ErkJggg==";

const { targets, skipped } = await liveTargets(process.env, AbortSignal.timeout(10_000));
for (const reason of skipped) console.log(`skipped ${reason}`);
if (targets.length === 0) console.log("no provider can be reached: nothing was proven");
for (const target of targets) describe(`${target.provider.id} (${target.model}), live`, () => contract(target));

function contract({ provider, model }: LiveTarget): void {
  const catalog = createModelCatalog();
  const entry = catalog.find(model);
  const client = (env = process.env) => createModelClients({ env, catalog }).clientFor(provider);
  const ask = (changes: Partial<ModelRequest>): Promise<ModelEvent[]> =>
    collect(
      client(),
      modelRequest({ model, tools: [], instructions: "Do exactly as told, in as few words as possible.", ...changes }),
      AbortSignal.timeout(patienceMs),
    );
  const said = (events: readonly ModelEvent[]): string => {
    assert.equal(events.at(-1)?.type, "completed", JSON.stringify(events.at(-1)));
    return textOf(events);
  };

  it("streams text and counts tokens", async () => {
    const events = await ask({ input: [userText("Say: parley works")] });
    assert.match(said(events), /parley works/i);
    assert.equal(joined(events, "textDelta"), textOf(events));
    const last = events.at(-1);
    assert.ok(last?.type === "completed" && last.usage !== undefined && last.usage.inputTokens > 0 && last.usage.outputTokens > 0);
  });

  it("calls a tool, sees the result, and keeps its thoughts in between", async () => {
    const effort = entry.efforts.length > 0 ? "low" : undefined;
    const input: ModelItem[] = [userText("Run the command `cat secret.txt` with the tool, then tell me the word it printed.")];
    const first = itemsOf(
      await ask({ input, tools: contractTools.slice(0, 1), effort, summary: effort === undefined ? undefined : "auto" }),
    );
    const call = first.find((item) => item.type === "function_call");
    assert.ok(call?.type === "function_call", JSON.stringify(first));
    assert.equal(typeof JSON.parse(call.arguments).cmd, "string");
    const result: ModelItem = { type: "function_call_output", call_id: call.call_id, output: "xylophone" };
    assert.match(said(await ask({ input: [...input, ...first, result], tools: contractTools.slice(0, 1), effort })), /xylophone/i);
  });

  it("takes free-form and namespaced tools in its history", async () => {
    const input: ModelItem[] = [
      userText("Apply the patch and read the file, then say the word in it."),
      { type: "custom_tool_call", call_id: "call_p1", name: "apply_patch", input: "*** Begin Patch\n*** End Patch" },
      { type: "function_call", call_id: "call_r1", name: "read", namespace: "mcp__files", arguments: "{}" },
      { type: "custom_tool_call_output", call_id: "call_p1", output: "Done" },
      { type: "function_call_output", call_id: "call_r1", output: "The word is: bassoon" },
    ];
    assert.match(said(await ask({ input, tools: contractTools })), /bassoon/i);
  });

  if (entry.supportsImages)
    it("sees an image", async () => {
      const content = [
        { type: "input_text" as const, text: "Which colour is this? One word." },
        { type: "input_image" as const, image_url: red },
      ];
      assert.match(said(await ask({ input: [{ type: "message", role: "user", content }] })), /red/i);
    });

  it("answers by a schema", async () => {
    const outputSchema = { type: "object", properties: { answer: { type: "integer" } }, required: ["answer"], additionalProperties: false };
    const text = said(await ask({ input: [userText("What is two and two? Answer as JSON with the key answer.")], outputSchema }));
    assert.equal(JSON.parse(text.replace(/^```(?:json)?|```$/g, "")).answer, 4);
  });

  it("refuses an unknown model clearly", async () => {
    const failure = failureOf(
      await collect(client(), modelRequest({ model: "no-such-model-x", tools: [] }), AbortSignal.timeout(patienceMs)),
    );
    assert.match(failure.kind, /badRequest|unauthorized|other/);
    assert.equal(failure.retry, false);
  });

  if (provider.envKey !== undefined)
    it("refuses a wrong key clearly", async () => {
      const wrong = client({ ...process.env, [provider.envKey ?? ""]: "wrong-key", ANTHROPIC_AUTH_TOKEN: undefined });
      const failure = failureOf(await collect(wrong, modelRequest({ model, tools: [] }), AbortSignal.timeout(patienceMs)));
      assert.match(failure.kind, /unauthorized|badRequest/);
    });

  it("stops when told", async () => {
    const controller = new AbortController();
    await assert.rejects(async () => {
      for await (const batch of client().stream(
        modelRequest({ model, tools: [], input: [userText("Count from 1 to 500.")] }),
        controller.signal,
      ))
        if (batch.some((event) => event.type === "textDelta" || event.type === "created")) controller.abort(new Error("enough"));
    }, /enough/);
  });
}
