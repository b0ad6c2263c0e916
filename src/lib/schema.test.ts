import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  array,
  boolean,
  compile,
  filledString,
  fits,
  type Infer,
  integer,
  intersect,
  jsonSchema,
  literals,
  maybe,
  named,
  natural,
  nothing,
  nullable,
  number,
  object,
  optional,
  parse,
  problem,
  record,
  type Schema,
  string,
  tuple,
  union,
  unknown,
} from "./schema.ts";

const Shape = named("Shape", () =>
  union([
    object({ type: literals("circle"), radius: number() }),
    object({ type: literals("square", "box"), side: natural(), name: maybe(string()) }),
  ]),
);
const Drawing = named("DrawingParams", () =>
  object({
    id: string(),
    shapes: optional(array(Shape())),
    labels: maybe(record(nullable(string()))),
    mode: maybe(union([literals("fast", "exact", "never"), object({ custom: object({ level: integer() }) })])),
    order: optional(literals("asc", "desc")),
    open: optional(boolean()),
    pair: optional(tuple([string(), integer()])),
    any: optional(unknown()),
    effort: optional(filledString()),
    both: optional(intersect([object({ a: string() }), object({ b: string() })])),
  }),
);

const expectProblem = (value: unknown, text: string | undefined, of: Schema = Drawing()): void => assert.equal(problem(of, value), text);

test("a valid value has no problem, and unknown fields are accepted", () => {
  expectProblem({ id: "1", extra: { deep: true }, labels: { a: null }, mode: null, pair: ["x", 1], both: { a: "", b: "" } }, undefined);
  expectProblem({ id: "1", mode: { custom: { level: -3 } }, shapes: [{ type: "box", side: 0, name: null }] }, undefined);
  assert.deepEqual(parse(Shape, { type: "circle", radius: 1 }) satisfies Infer<typeof Shape> | undefined, { type: "circle", radius: 1 });
  assert.equal(parse(Shape, { type: "circle" }), undefined);
});

test("errors have the real server's wording and the path", () => {
  expectProblem({}, "missing field `id`");
  expectProblem({ id: 5 }, "invalid type: integer `5`, expected a string in `id`");
  expectProblem({ id: "1", open: "x" }, 'invalid type: string "x", expected a boolean in `open`');
  expectProblem({ id: "1", shapes: {} }, "invalid type: map, expected a sequence in `shapes`");
  expectProblem({ id: "1", labels: 5 }, "invalid type: integer `5`, expected a map in `labels`");
  expectProblem({ id: "1", labels: { a: [] } }, "invalid type: sequence, expected a string in `labels.a`");
  expectProblem({ id: "1", order: "up" }, "unknown variant `up`, expected `asc` or `desc` in `order`");
  expectProblem({ id: "1", order: 5 }, "invalid type: integer `5`, expected string or map in `order`");
  expectProblem({ id: "1", mode: "slow" }, "unknown variant `slow`, expected one of `fast`, `exact`, `never`, `custom` in `mode`");
  expectProblem({ id: "1", mode: {} }, "invalid value: map, expected map with a single key in `mode`");
  expectProblem({ id: "1", mode: { other: 1 } }, "unknown variant `other`, expected one of `fast`, `exact`, `never`, `custom` in `mode`");
  expectProblem({ id: "1", mode: { custom: {} } }, "missing field `level` in `mode.custom`");
  expectProblem({ id: "1", mode: 5 }, "invalid type: integer `5`, expected string or map in `mode`");
  expectProblem({ id: "1", shapes: [{}] }, "missing field `type` in `shapes[0]`");
  expectProblem({ id: "1", shapes: ["x"] }, 'invalid type: string "x", expected internally tagged enum Shape in `shapes[0]`');
  expectProblem(
    { id: "1", shapes: [{ type: "hexagon" }] },
    "unknown variant `hexagon`, expected one of `circle`, `square`, `box` in `shapes[0]`",
  );
  expectProblem({ id: "1", shapes: [{ type: "square", side: -1 }] }, "invalid value: integer `-1`, expected u32 in `shapes[0].side`");
  expectProblem(
    { id: "1", shapes: [{ type: "square", side: 1.5 }] },
    "invalid type: floating point `1.5`, expected u32 in `shapes[0].side`",
  );
  expectProblem([], "invalid length 0, expected struct DrawingParams with 10 elements");
  expectProblem("x", 'invalid type: string "x", expected struct DrawingParams');
  expectProblem(null, "invalid type: null, expected struct DrawingParams");
  expectProblem({ id: "1", pair: ["x"] }, "invalid length 1, expected an array of length 2 in `pair`");
  expectProblem({ id: "1", effort: "" }, "effort must not be empty");
  expectProblem({ id: "1", both: { a: "" } }, "missing field `b` in `both`");
});

test("long texts of the client are truncated in errors", () => {
  assert.ok((problem(Drawing(), { id: "1", order: "x".repeat(100_000) }) ?? "").length < 400);
  assert.ok((problem(Drawing(), { id: ["x".repeat(100_000)] }) ?? "").length < 400);
  assert.ok((problem(Drawing(), { id: "1", labels: { ["k".repeat(100_000)]: 5 } }) ?? "").length < 400);
});

test("for union members that share a tag the error names the fields that distinguish them", () => {
  const Image = union([object({ type: literals("image"), url: string() }), object({ type: literals("image"), fileId: string() })]);
  expectProblem({ type: "image" }, "missing field `url` or `fileId`", Image);
  expectProblem({ type: "image", url: 5 }, "invalid type: integer `5`, expected a string in `url`", Image);
});

test("the depth of a value does not matter", () => {
  let deep: unknown = [];
  for (let i = 0; i < 200_000; i++) deep = i % 2 === 0 ? [deep] : { deep };
  assert.equal(problem(Drawing(), { id: "1", any: deep }), undefined);
  assert.equal(problem(Drawing(), { id: deep }), "invalid type: map, expected a string in `id`");
  assert.equal(problem(Drawing(), { id: "1", shapes: deep }), "invalid type: map, expected a sequence in `shapes`");
});

test("keys of the prototype are neither found nor set", () => {
  const value: unknown = JSON.parse('{"__proto__":{"id":"1","open":5},"constructor":{"prototype":{"id":"1"}}}');
  assert.equal(problem(Drawing(), value), "missing field `id`");
  const labels: unknown = JSON.parse('{"id":"1","labels":{"__proto__":5}}');
  assert.equal(problem(Drawing(), labels), "invalid type: integer `5`, expected a string in `labels.__proto__`");
  assert.equal(fits(record(string()), JSON.parse('{"a\\nb":5}')), false, "a key with a line break is checked too");
  assert.equal(({} as Record<string, unknown>)["id"], undefined);
});

test("a named schema is built once, on first use, and keeps its name where it is optional", () => {
  let built = 0;
  const Inner = named("Inner", () => {
    built++;
    return object({ a: string() });
  });
  assert.equal(built, 0);
  const outer = jsonSchema(object({ x: Inner(), y: optional(Inner()), z: maybe(Inner()) }));
  assert.equal(built, 1);
  assert.deepEqual(JSON.parse(JSON.stringify(outer)), {
    type: "object",
    properties: {
      x: { type: "object", properties: { a: { type: "string" } }, required: ["a"], title: "Inner" },
      y: { type: "object", properties: { a: { type: "string" } }, required: ["a"], title: "Inner" },
      z: { anyOf: [{ type: "object", properties: { a: { type: "string" } }, required: ["a"], title: "Inner" }, { type: "null" }] },
    },
    required: ["x"],
  });
});

const keys = fc.constantFrom("type", "a", "b", "id");
/** Random schemas from all builders, three levels deep. */
const schemas: fc.Arbitrary<Schema> = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(string(), filledString(), boolean(), number(), integer(), natural(), nothing(), unknown(), literals("a", "b")),
    tie("schema").map((s) => array(s)),
    tie("schema").map((s) => record(s)),
    tie("schema").map((s) => nullable(s)),
    fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((list) => union(list)),
    fc.array(tie("schema"), { minLength: 1, maxLength: 2 }).map((list) => tuple(list)),
    fc
      .array(fc.dictionary(keys, tie("schema"), { maxKeys: 2 }), { minLength: 1, maxLength: 2 })
      .map((list) => intersect(list.map((p) => object(p)))),
    fc.dictionary(keys, fc.tuple(tie("schema"), fc.boolean()), { maxKeys: 3 }).map((properties) => {
      const entries = Object.entries(properties).map(([key, [of, may]]): [string, Schema] => [key, may ? optional(of) : of]);
      return object(Object.fromEntries(entries));
    }),
  ),
})).schema;
const values = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom<unknown>("a", "b", "c", 0, -1, 1.5, true, null, "", 2 ** 53),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.oneof(keys, fc.constantFrom("__proto__", "constructor", "a\nb")), tie("value"), { maxKeys: 4 }),
    ),
  })).value,
);

test("the interpreted and the compiled check never disagree, and every error has a message", async () => {
  await fc.assert(
    fc.asyncProperty(schemas, fc.array(values, { minLength: 1, maxLength: 12 }), async (of, samples) => {
      const compiled = await compile(of);
      for (const sample of samples) {
        const interpreted = fits({ ...of }, sample);
        assert.equal(compiled(sample), interpreted);
        const message = problem(of, sample);
        assert.equal(message === undefined, interpreted);
        assert.notEqual(message, "data did not match the schema");
      }
    }),
    { numRuns: 300 },
  );
});

test("limits hold from the first check on, and the error names them", async () => {
  const limited = (limits: object, of: Schema): Schema => ({ ...of, ...limits }) as Schema;
  const cases: [Schema, unknown, boolean][] = [
    ...["", "a", "aaa", "aaaa", "😀", "😀😀😀", "😀😀😀😀", "😀".repeat(7)].map((text): [Schema, unknown, boolean] => {
      const count = [...text].length;
      return [limited({ minLength: 1, maxLength: 3 }, string()), text, count >= 1 && count <= 3];
    }),
    ...[0, 1, 90, 91].map((n): [Schema, unknown, boolean] => [limited({ minimum: 1, maximum: 90 }, integer()), n, n >= 1 && n <= 90]),
    ...[0.5, 1.5, 2.5].map((n): [Schema, unknown, boolean] => [limited({ minimum: 1, maximum: 2 }, number()), n, n === 1.5]),
    ...[0, 2, 3].map((n): [Schema, unknown, boolean] => [
      limited({ minItems: 1, maxItems: 2 }, array(string())),
      Array(n).fill("x"),
      n === 2,
    ]),
  ];
  for (const [of, value, expected] of cases) {
    assert.equal(fits(of, value), expected, JSON.stringify([of, value]));
    assert.equal((await compile(of))(value), expected, `compiled: ${JSON.stringify([of, value])}`);
  }
  const short = object({ title: limited({ minLength: 1, maxLength: 3 }, string()), days: limited({ minimum: 1, maximum: 90 }, integer()) });
  assert.equal(problem(short, { title: "long", days: 1 }), "title must have at most 3 characters");
  assert.equal(problem(short, { title: "", days: 1 }), "title must not be empty");
  assert.match(problem(short, { title: "x", days: 91 }) ?? "", /91.*a whole number from 1 to 90 in `days`/);
});

test("a frequently used schema is compiled and still gives the same results", async () => {
  const of = Drawing();
  const cases: [unknown, boolean][] = [
    [{ id: "1" }, true],
    [{ id: "1", open: 1 }, false],
    [{ id: "1", shapes: [{ type: "circle", radius: 1 }] }, true],
  ];
  for (let round = 0; round < 10; round++) {
    for (let i = 0; i < 100; i++) for (const [value, expected] of cases) assert.equal(fits(of, value), expected);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
});
