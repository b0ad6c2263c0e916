import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parseToml } from "../lib/toml.ts";
import { editToml, withValue } from "./toml-edit.ts";
import { scanToml } from "./toml-scan.ts";

const sample = `# top of the file
model = "m" # why this one
list = [
  "a", # first
  # between
  "b", # second
] # end of list

# about x
[model_providers.x] # header of x
name = "x" # its name
# above the address
base_url = "http://127.0.0.1:1" # address
inline = { a = 1, b = "x" } # inline
# under x

[[skills.config]] # skill one
path = "p" # path one
enabled = false
[[skills.config]] # skill two
path = "q" # path two

# about features
[features]
a.b = true # dotted
'quo.ted' = """
# no comment

[nor.header]
""" # after text
# last words
`;
const edit = (path: string[], value: unknown, text = sample): string => editToml(text, path, value);
/** The lines that a diff would show. */
const changed = (before: string, after: string): string[] => {
  const old = before.split("\n");
  const fresh = after.split("\n");
  return [
    ...old.filter((line) => !fresh.includes(line)).map((l) => `-${l}`),
    ...fresh.filter((line) => !old.includes(line)).map((l) => `+${l}`),
  ];
};

describe("editing TOML", () => {
  const cases: [name: string, path: string[], value: unknown, diff: string[]][] = [
    ["a value and nothing else", ["model"], "n", ['-model = "m" # why this one', '+model = "n" # why this one']],
    [
      "a value in a section",
      ["model_providers", "x", "name"],
      'a "b"\u007f',
      ['-name = "x" # its name', '+name = "a \\"b\\"\\u007f" # its name'],
    ],
    ["an entry of a list", ["list"], ["a", "c"], ['-  "b", # second', '+  "c", # second']],
    ["a longer list", ["list"], ["a", "b", "c"], ['-  "b", # second', '+  "b", "c", # second']],
    ["a shorter list", ["list"], ["b"], ['-  "a", # first', "+  # first"]],
    [
      "a key of an inline table",
      ["model_providers", "x", "inline", "b"],
      2,
      ['-inline = { a = 1, b = "x" } # inline', "+inline = { a = 1, b = 2 } # inline"],
    ],
    ["a new root key before the first section", ["zed"], 1, ["+zed = 1"]],
    ["a new dotted key beside its kin", ["features", "a", "c"], 1.5, ["+a.c = 1.5"]],
    [
      "a long text",
      ["features", "quo.ted"],
      "x",
      ['-\'quo.ted\' = """', "-# no comment", "-[nor.header]", '-""" # after text', "+'quo.ted' = \"x\" # after text"],
    ],
    [
      "an entry of a list of sections",
      ["skills", "config"],
      [{ path: "p", enabled: true }, { path: "q" }],
      ["-enabled = false", "+enabled = true"],
    ],
    ["nothing", ["model"], "m", []],
  ];
  for (const [name, path, value, diff] of cases) it(`changes ${name}`, () => assert.deepEqual(changed(sample, edit(path, value)), diff));

  it("writes a new table as a section after its siblings, and tables in it as sections too", () => {
    const text = edit(["model_providers", "y z"], { name: "Y", http_headers: { A: "b" } });
    assert.ok(
      text.includes('# under x\n\n[model_providers."y z"]\nname = "Y"\n\n[model_providers."y z".http_headers]\nA = "b"\n\n[[skills'),
      text,
    );
    assert.ok(
      edit(["projects", "/a.b", "trust_level"], "trusted").endsWith('# last words\n\n[projects."/a.b"]\ntrust_level = "trusted"\n'),
    );
  });

  it("adds to and removes from lists of sections without moving comments", () => {
    const [p, q, r] = [{ path: "p", enabled: false }, { path: "q" }, { path: "r" }];
    assert.ok(edit(["skills", "config"], [p, q, r]).includes('# path two\n\n[[skills.config]]\npath = "r"\n\n# about features'));
    const one = edit(["skills", "config"], [q]);
    assert.ok(one.includes('# skill one\n# path one\n[[skills.config]] # skill two\npath = "q" # path two\n'), one);
  });

  it("turns a list with comments into a plain value and keeps the comments above it", () => {
    assert.ok(edit(["list"], 3).includes("# first\n# between\n# second\nlist = 3 # end of list\n"));
  });

  it("keeps the comments of removed keys", () => {
    assert.ok(edit(["model"], undefined).startsWith("# top of the file\n# why this one\nlist = ["));
    const without = edit(["model_providers"], undefined);
    assert.ok(
      without.includes("# about x\n# header of x\n# its name\n# above the address\n# address\n# inline\n# under x\n\n[[skills"),
      without,
    );
  });

  it("leaves no gap where the first section was", () => {
    assert.equal(editToml("[a]\nb = 1\n\n[c]\nd = 1\n", ["a"], undefined), "[c]\nd = 1\n");
    assert.equal(editToml("\n\n[a]\nb = 1\n", ["a"], undefined), "\n");
  });

  it("works on empty texts, CRLF, a byte order mark and a missing last line end", () => {
    assert.equal(editToml("", ["a"], 1), "a = 1\n");
    assert.equal(editToml("", ["a", "b"], 1), "[a]\nb = 1\n");
    assert.equal(editToml("# c\r\na = 1\r\n", ["b"], 2), "# c\r\na = 1\r\nb = 2\r\n");
    assert.equal(editToml("\ufeffa = 1", ["b"], 2), "\ufeffa = 1\nb = 2\n");
    assert.equal(editToml("# about t\n[t]\nx = 1", ["k"], 2), "k = 2\n\n# about t\n[t]\nx = 1");
  });

  it("replaces a section by a value and back", () => {
    const flat = editToml("[a] # c\nb = 1\n", ["a"], 5);
    assert.deepEqual(parseToml(flat), { a: 5 });
    assert.ok(flat.includes("# c"));
    assert.deepEqual(parseToml(editToml(flat, ["a"], { b: { c: [{ d: 1 }] } })), { a: { b: { c: [{ d: 1 }] } } });
  });
});

/** Every comment of a text, in order. A # inside a string is none. */
const commentsOf = (text: string): string[] =>
  scanToml(text).flatMap((s) => {
    if (s.kind === "comment") return [text.slice(s.line.start, s.line.end).trim()];
    return s.kind === "pair" || s.kind === "header" ? s.comments : [];
  });

/** Each comment with the key on its line or below it. */
const placesOf = (text: string): Map<string, string> => {
  const places = new Map<string, string>();
  let above: string[] = [];
  for (const s of scanToml(text)) {
    if (s.kind === "comment") above.push(text.slice(s.line.start, s.line.end).trim());
    if (s.kind === "blank") above = [];
    if (s.kind !== "pair" && s.kind !== "header") continue;
    for (const comment of [...above, ...s.comments]) places.set(comment, `${s.kind} ${JSON.stringify(s.path)}`);
    above = [];
  }
  return places;
};

describe("a thousand random writes", () => {
  const key = fc.constantFrom(
    "model",
    "list",
    "zed",
    "features",
    "skills",
    "model_providers",
    "x",
    "name",
    "a",
    "b",
    "config",
    "quo.ted",
    "ü",
  );
  const scalar = fc.oneof(fc.string({ maxLength: 8 }), fc.integer(), fc.boolean(), fc.double({ noNaN: true, noDefaultInfinity: true }));
  const value = fc.oneof(
    { weight: 4, arbitrary: scalar },
    fc.array(scalar, { maxLength: 4 }),
    fc.dictionary(key, scalar, { maxKeys: 3, noNullPrototype: true }),
    fc.array(fc.dictionary(key, scalar, { maxKeys: 2, noNullPrototype: true }), { maxLength: 3 }),
    fc.constant(undefined),
  );
  const path = fc.oneof(
    fc.constantFrom(
      ["model"],
      ["list"],
      ["model_providers", "x", "name"],
      ["features", "a", "b"],
      ["skills", "config"],
      ["model_providers", "x", "inline", "a"],
    ),
    fc.array(key, { minLength: 1, maxLength: 3 }),
  );

  it("keep the value right and every comment in place", () => {
    const all = commentsOf(sample);
    let writes = 0;
    fc.assert(
      fc.property(fc.array(fc.tuple(path, value), { minLength: 25, maxLength: 25 }), (edits) => {
        let text = sample;
        let expected = parseToml(sample);
        for (const [where, what] of edits) {
          if (!canHold(expected, where)) continue;
          const before = placesOf(text);
          const next = editToml(text, where, what);
          expected = withValue(expected, where, what);
          writes++;
          assert.deepEqual(pruned(parseToml(next)), pruned(expected), `${JSON.stringify([where, what])}\n${text}\n----\n${next}`);
          assert.deepEqual(new Set(commentsOf(next)), new Set(all), "a comment is lost");
          assert.equal(commentsOf(next).length, all.length, "a comment is doubled");
          const after = placesOf(next);
          const keys = new Set(after.values());
          for (const [comment, place] of before)
            if (keys.has(place) && isStill(next, place))
              assert.equal(after.get(comment), place, `${comment} moved by ${JSON.stringify([where, what])}\n${text}\n----\n${next}`);
          text = next;
        }
      }),
      { numRuns: 80 },
    );
    assert.ok(writes >= 1000, `only ${writes} writes`);
  });
});

/** Text cannot distinguish an implied empty table from a missing one. */
const pruned = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(pruned);
  const entries = Object.entries(value).map(([name, inner]) => [name, pruned(inner)] as const);
  return Object.fromEntries(
    entries.filter(([, inner]) => typeof inner !== "object" || inner === null || Array.isArray(inner) || Object.keys(inner).length > 0),
  );
};

const isStill = (text: string, place: string): boolean =>
  scanToml(text).some((s) => (s.kind === "pair" || s.kind === "header") && `${s.kind} ${JSON.stringify(s.path)}` === place);

/** Whether there are only tables on the path. */
const canHold = (root: unknown, path: readonly string[]): boolean => {
  let here = root;
  for (const part of path.slice(0, -1)) {
    here = Object.entries(here ?? {}).find(([key]) => key === part)?.[1];
    if (here === undefined) return true;
    if (typeof here !== "object" || Array.isArray(here)) return false;
  }
  return true;
};
