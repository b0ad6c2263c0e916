/** History keeps its meaning between wires, and losses are reported. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { modelRequest, userText } from "../../test/support/model-mocks/events.ts";
import type { ModelItem } from "../core/ports/model-client.ts";
import { createAnthropicWire } from "./anthropic-messages.ts";
import { createModelCatalog } from "./catalog.ts";
import { createChatWire } from "./chat-completions.ts";
import { isSealed, seal, transcriptFromItems, unseal } from "./convert.ts";
import { isRecord, listOf, recordOf } from "./json.ts";
import { builtInProvider } from "./providers.ts";
import { createResponsesWire } from "./responses.ts";

const call = (id: string): ModelItem => ({ type: "function_call", call_id: id, name: "exec_command", arguments: '{"cmd":"ls"}' });
const output = (id: string, text = `result of ${id}`): ModelItem => ({ type: "function_call_output", call_id: id, output: text });
const assistantText = (text: string): ModelItem => ({ type: "message", role: "assistant", content: [{ type: "output_text", text }] });

const catalog = createModelCatalog();
const chat = createChatWire(builtInProvider("openrouter", {}) ?? assert.fail());
const wires = { responses: createResponsesWire(), chat, anthropic: createAnthropicWire() };
function encode(wire: keyof typeof wires, input: readonly ModelItem[], model = "mock-model") {
  const encoded = wires[wire].encode(modelRequest({ input, model }), catalog.find(model), new Set());
  return { body: recordOf(JSON.parse(encoded.body)), warnings: encoded.warnings };
}

describe("transcriptFromItems", () => {
  it("puts each result after the answer that made its call", () => {
    const kinds = transcriptFromItems([userText("go"), call("a"), assistantText("and"), call("b"), output("b"), output("a")], []).map(
      (entry) => ("callId" in entry ? `${entry.kind} ${entry.callId}` : entry.kind),
    );
    assert.deepEqual(kinds, ["user", "call a", "assistant", "call b", "result a", "result b"]);
  });

  it("adds results for unanswered calls, and keeps results without a call", () => {
    const entries = transcriptFromItems([userText("go"), call("a"), userText("stop"), output("lost", "orphan")], []);
    assert.deepEqual(
      entries.map((entry) => entry.kind),
      ["user", "call", "result", "user", "user"],
    );
    assert.ok(JSON.stringify(entries).includes("orphan"));
  });

  it("pairs every call with exactly one result right after its answer, whatever the order was", () => {
    const item = fc.oneof(
      fc.constantFrom("a", "b", "c").map(call),
      fc.constantFrom("a", "b", "c", "d").map((id) => output(id)),
      fc.constant(userText("more")),
      fc.constant(assistantText("well")),
    );
    fc.assert(
      fc.property(fc.array(item, { maxLength: 14 }), (items) => {
        const seen = new Set<string>();
        const once = items.filter((i) => i.type !== "function_call" || (!seen.has(i.call_id) && seen.add(i.call_id)));
        let open: string[] = [];
        for (const entry of transcriptFromItems(once, [])) {
          if (entry.kind === "call") open.push(entry.callId);
          else if (entry.kind === "result") assert.equal(open.shift(), entry.callId);
          else if (entry.kind === "user") assert.deepEqual(open, []);
        }
        assert.deepEqual(open, []);
        open = [];
      }),
      { numRuns: 400 },
    );
  });

  it("reports what it leaves out", () => {
    const warnings: string[] = [];
    transcriptFromItems(
      [
        { type: "web_search_call", action: { type: "search", query: "x" } },
        { type: "compaction", encrypted_content: "opaque" },
        {
          type: "message",
          role: "user",
          content: [
            { type: "input_image", file_id: "file-1" },
            { type: "input_audio", audio_url: "data:" },
          ],
        },
      ],
      warnings,
    );
    assert.equal(warnings.length, 4);
    assert.ok(warnings.every((warning) => warning.includes("left out")));
  });
});

describe("seal", () => {
  it("opens for its own wire only", () => {
    const sealed = seal("anthropic", { signature: "s" });
    assert.ok(isSealed(sealed));
    assert.deepEqual(unseal("anthropic", sealed), { signature: "s" });
    assert.equal(unseal("chat", sealed), undefined);
    assert.equal(unseal("anthropic", "gAAAA"), undefined);
  });
});

describe("a thread that changes its provider", () => {
  const thought: ModelItem = {
    type: "reasoning",
    summary: [{ type: "summary_text", text: "hm" }],
    encrypted_content: seal("anthropic", { signature: "sig" }),
  };
  const openaiThought: ModelItem = { type: "reasoning", summary: [], encrypted_content: "gAAAA" };
  const thread = [
    userText("go"),
    thought,
    call("a"),
    output("a"),
    assistantText("done"),
    userText("again"),
    openaiThought,
    { type: "custom_tool_call", call_id: "p", name: "apply_patch", input: "*** Begin Patch" },
    { type: "custom_tool_call_output", call_id: "p", output: "Done!" },
  ] satisfies ModelItem[];

  for (const wire of ["responses", "chat", "anthropic"] as const)
    it(`keeps text, calls and results on the ${wire} wire, and reports that reasoning was lost`, () => {
      const { body, warnings } = encode(wire, thread);
      const text = JSON.stringify(body);
      for (const part of ["go", "result of a", "done", "again", "*** Begin Patch", "Done!"])
        assert.ok(text.includes(part), `${part} in ${text}`);
      assert.equal(warnings.length, 1);
      assert.match(warnings[0] ?? "", /reasoning/);
    });

  it("shows each provider only its own reasoning", () => {
    assert.ok(JSON.stringify(encode("responses", thread).body).includes("gAAAA"));
    assert.ok(!JSON.stringify(encode("responses", thread).body).includes("parley:"));
    const claude = encode("anthropic", thread, "claude-opus-5-5").body;
    const blocks = listOf(claude["messages"]).flatMap((message) => listOf(recordOf(message)["content"]));
    assert.ok(
      blocks.some((block) => isRecord(block) && block["type"] === "thinking" && block["signature"] === "sig" && block["thinking"] === "hm"),
    );
    assert.ok(!JSON.stringify(claude).includes("gAAAA"));
  });

  it("shows images of the user and of tools on every wire", () => {
    const image = { type: "input_image" as const, image_url: "data:image/png;base64,AAAA" };
    const input: ModelItem[] = [
      { type: "message", role: "user", content: [image] },
      call("a"),
      { type: "function_call_output", call_id: "a", output: [{ type: "input_text", text: "shot" }, image] },
    ];
    for (const wire of ["responses", "chat", "anthropic"] as const)
      assert.equal(JSON.stringify(encode(wire, input).body).split("AAAA").length - 1, 2, wire);
  });
});
