/** Names, descriptions and results of hostile servers. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { visibleText } from "../lib/visible-text.ts";
import { cleanedSchema } from "./clean.ts";
import { toolNames } from "./names.ts";
import { bounded, outputFrom } from "./results.ts";

describe("descriptions", () => {
  it("lose hidden characters: controls, direction marks, zero-width and tag characters", () => {
    assert.equal(visibleText("a\u0007b\u202ec\u200bd\u{e0041}e\u{e007f}f\tg\nh", 100), "abcdef\tg\nh");
    assert.equal(visibleText("x".repeat(10), 4), "xxxx…");
  });
  it("are sanitized inside schemas, where names and values stay unchanged", () => {
    const schema = { type: "object", properties: { "a\u200b": { type: "string", description: "say\u202e it", enum: ["\u200b"] } } };
    assert.deepEqual(cleanedSchema(schema), {
      type: "object",
      properties: { "a\u200b": { type: "string", description: "say it", enum: ["\u200b"] } },
    });
  });
  it("of a schema that is too large or too deep become any object", () => {
    const any = { type: "object", properties: {}, additionalProperties: true };
    assert.deepEqual(
      cleanedSchema({
        type: "object",
        properties: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`p${i}`, { type: "string" }])),
      }),
      any,
    );
    let deep: Record<string, unknown> = { type: "string", description: "end" };
    for (let i = 0; i < 100; i++) deep = { type: "object", properties: { a: deep } };
    assert.ok(JSON.stringify(cleanedSchema(deep)).length < 2000);
  });
});

describe("names of tools", () => {
  it("are accepted by the provider", () => {
    assert.deepEqual(toolNames([["my server", "read.it"]]), ["mcp__my_server__read_it"]);
  });
  it("are never shared by two tools, whatever their names", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "_", ".", "-", "ß"), minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(word, word), { selector: JSON.stringify, maxLength: 20 }), (pairs) => {
        const names = toolNames(pairs);
        assert.equal(new Set(names).size, pairs.length);
        for (const name of names) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);
      }),
    );
  });
});

describe("results", () => {
  it("are kept up to the size limit", () => {
    const result = { content: [{ type: "text" as const, text: "hi" }], structuredContent: { a: 1 }, isError: true };
    assert.deepEqual(bounded(result), result);
  });
  it("are truncated, with a note", () => {
    const big = bounded({
      content: [{ type: "text", text: "x".repeat(3 * 1024 * 1024) }],
      structuredContent: { y: "y".repeat(2 * 1024 * 1024) },
    });
    assert.ok(JSON.stringify(big).length < 1.1 * 1024 * 1024);
    assert.equal(big.structuredContent, undefined);
    const pictures = bounded({
      content: Array.from({ length: 3 }, () => ({ type: "image" as const, mimeType: "image/png", data: "A".repeat(4 * 1024 * 1024) })),
    });
    assert.deepEqual(
      pictures.content.map(({ type }) => type),
      ["image", "text", "text"],
    );
    assert.equal(bounded({ content: Array.from({ length: 1000 }, () => ({ type: "text" as const, text: "x" })) }).content.length, 257);
  });
  it("reach the model as text and images; an image of an unknown type does not", () => {
    assert.deepEqual(outputFrom({ content: [{ type: "text", text: "a" }] }), { kind: "text", text: "a", success: true });
    const svg = outputFrom({ content: [{ type: "image", mimeType: "image/svg+xml", data: "PHN2Zy8+" }], isError: true });
    assert.equal(svg.kind, "text");
    assert.equal(svg.success, false);
  });
});
