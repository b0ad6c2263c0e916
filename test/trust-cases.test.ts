/** Every security case has an existing test, or an excuse with a reason. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { type Requirement, requirements } from "./requirements.ts";
import { allCases, groups, lastListed, maxExcused, mostImportant, proofsIn } from "./trust/cases.ts";

const root = path.resolve(import.meta.dirname, "..");
const proofsOf = proofsIn(root);
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");
const numbers = [...allCases.keys()];
const excused = [...allCases].flatMap(([n, row]) => ("cannotApply" in row ? [n] : []));

test("every number of the list has its row, once and in order; later ones have the hundred of their group", () => {
  const given = groups.map(({ cases }) => Object.keys(cases).map(Number));
  assert.deepEqual(
    given.flat().filter((n) => n <= lastListed),
    Array.from({ length: lastListed }, (_, i) => i + 1),
  );
  for (const [i, own] of given.entries()) {
    const later = own.filter((n) => n > lastListed);
    const first = 200 + 100 * i;
    assert.ok(
      later.every((n) => n >= first && n < first + 100),
      `${groups[i]?.title}: ${later}`,
    );
  }
});

test("every case is tested or excused", () => {
  assert.deepEqual(
    numbers.filter((n) => !excused.includes(n) && proofsOf(n).length === 0),
    [],
  );
});

test("few cases are excused, each with a reason, and none of the most important", () => {
  assert.ok(excused.length <= maxExcused);
  assert.deepEqual(
    excused.filter((n) => mostImportant.includes(n)),
    [],
  );
  for (const row of allCases.values()) if ("cannotApply" in row) assert.ok(row.cannotApply.length > 40);
});

test("every test that is named exists", () => {
  const missing = numbers.flatMap((n) =>
    proofsOf(n).flatMap(({ kind, file, name }) => {
      if (kind === "suite") return [];
      if (file === undefined || !existsSync(path.join(root, file))) return [`${n}: ${kind} ${name} has no file`];
      return kind === "requirement" || read(file).includes(name) ? [] : [`${n}: ${file} has no test "${name}"`];
    }),
  );
  assert.deepEqual(missing, []);
});

test("every case of the shared suite that is named is one that CI insists on", () => {
  const { trust, bridge, managerBridge } = JSON.parse(read(".ci/ratchet.json"));
  const insists = (id: string): boolean =>
    trust.includes(id) || [bridge, managerBridge].every((names) => names.includes(id) || names.includes(id.replace(/\d+$/, "")));
  const named = numbers.flatMap((n) => proofsOf(n).flatMap(({ kind, name }) => (kind === "suite" ? [name] : [])));
  assert.deepEqual(
    named.filter((id) => !insists(id)),
    [],
  );
  assert.deepEqual(
    trust.filter((id: string) => !named.includes(id)),
    [],
    "a case of the suite that no row names",
  );
});

test("requirements name cases that exist", () => {
  const named = Object.values(requirements).flatMap((requirement: Requirement) => requirement.cases ?? []);
  assert.deepEqual(
    named.filter((n) => !allCases.has(n)),
    [],
  );
});
