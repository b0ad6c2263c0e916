import assert from "node:assert/strict";
import { test } from "node:test";
import { RepositoryRefusal } from "../core/ports/repository.ts";
import { openCheckouts } from "./fleet-checkouts.ts";

test("a worker's own settings say which addresses clients may name", () => {
  const opened = (settings: unknown) => openCheckouts("/nowhere", { HOME: "/nowhere" }, () => settings);
  const addresses = { https: "https://host/a", ssh: "git@host:a", file: "/srv/a.git" };
  const taken = (settings: unknown): string[] =>
    Object.entries(addresses).flatMap(([name, git]) => {
      try {
        return opened(settings).sourceIn({ "fleet.git": git }) === undefined ? [] : [name];
      } catch (error) {
        assert.ok(error instanceof RepositoryRefusal && /are not allowed on this worker/.test(error.message));
        return [];
      }
    });
  assert.deepEqual(taken(undefined), ["https", "ssh", "file"]);
  assert.deepEqual(taken({ git_protocols: ["https"] }), ["https"]);
  assert.deepEqual(taken({ git_protocols: [] }), []);
  // A client's own config is not the worker's.
  assert.throws(() => opened({ git_protocols: ["ssh"] }).sourceIn({ fleet: { git: "/a", git_protocols: ["file"] } }), /only ssh/);
});
