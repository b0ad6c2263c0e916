import assert from "node:assert/strict";
import { test } from "node:test";
import { cleanedSchema } from "./clean.ts";

const string = { type: "string" };
const number = { type: "number" };

test("alternatives at the top become one object that requires what all of them require", () => {
  const by = (name: string) => ({ type: "object", properties: { [name]: string, page: number }, required: [name, "page"] });
  for (const key of ["oneOf", "anyOf"])
    assert.deepEqual(cleanedSchema({ type: "object", [key]: [by("id"), by("url")] }), {
      type: "object",
      properties: { id: string, page: number, url: string },
      required: ["page"],
      description: "Give one of: id and page; url and page.",
    });
});

test("allOf requires what each part requires, and references into the schema are followed", () => {
  const schema = {
    $defs: { Base: { type: "object", properties: { id: string }, required: ["id"] } },
    allOf: [{ $ref: "#/$defs/Base" }, { properties: { n: number }, required: ["n"] }],
  };
  const { properties, required, type, ...rest } = cleanedSchema(schema);
  assert.deepEqual([type, properties, required], ["object", { id: string, n: number }, ["id", "n"]]);
  assert.ok(!("allOf" in rest));
});

test("a property with two forms accepts either, and nested alternatives stay unchanged", () => {
  const nested = { anyOf: [string, { type: "null" }] };
  assert.deepEqual(
    cleanedSchema({ type: "object", properties: { q: nested }, anyOf: [{ properties: { x: string } }, { properties: { x: number } }] }),
    { type: "object", properties: { q: nested, x: { anyOf: [string, number] } } },
  );
});

test("no schema keeps top-level keywords that vendors reject, however it is built", () => {
  const loop = { $defs: { A: { allOf: [{ $ref: "#/$defs/A" }, { properties: { a: string } }] } }, $ref: "#/$defs/A" };
  const wide = { oneOf: Array.from({ length: 5000 }, (_, i) => ({ properties: { [`p${i % 90}`]: { const: i } } })) };
  for (const odd of [
    loop,
    wide,
    { oneOf: "x" },
    { allOf: [null, 5, []] },
    { type: "string" },
    { type: ["object", "null"] },
    { $ref: "http://x/y" },
  ]) {
    const flat = cleanedSchema(odd);
    assert.equal(flat["type"], "object", JSON.stringify(odd).slice(0, 80));
    for (const key of ["allOf", "oneOf", "anyOf", "not", "enum", "$ref"]) assert.ok(!(key in flat), key);
    assert.ok(JSON.stringify(flat).length <= 64 * 1024);
  }
  assert.equal(
    Object.hasOwn(
      cleanedSchema(JSON.parse('{"anyOf":[{"properties":{"__proto__":{"type":"string"}}}]}'))["properties"] as object,
      "__proto__",
    ),
    true,
  );
});
