import assert from "node:assert/strict";
import { test } from "node:test";
import type { EnvironmentPolicy } from "../core/ports/config.ts";
import { commandEnvironment } from "./environment.ts";

const from = {
  ...{ PATH: "/bin", HOME: "/home/u", EDITOR: "vi", OPENAI_API_KEY: "sk", Db_Secret: "s", github_token: "g", AWS_SECRET_ACCESS_KEY: "a" },
  ...{ MONKEY: "m", MODEL_CRED: "c", PARLEY_X: "1", NODE_COMPILE_CACHE: "/x", GONE: undefined },
};
const names = (policy: Partial<EnvironmentPolicy>): string[] =>
  Object.keys(
    commandEnvironment({
      policy: { inherit: "all", ignoreDefaultExcludes: false, exclude: [], set: {}, includeOnly: [], ...policy },
      from,
      modelKeys: ["MODEL_CRED"],
    }),
  ).sort();

test("keys, secrets and tokens of any case, and model keys of any name, are left out by default", () => {
  assert.deepEqual(names({}), ["EDITOR", "HOME", "PATH"]);
});

test("the user can keep them all, or those that are listed or set", () => {
  assert.ok(names({ ignoreDefaultExcludes: true }).includes("OPENAI_API_KEY"));
  assert.deepEqual(names({ includeOnly: ["PATH", "github_*"] }), ["PATH", "github_token"]);
  assert.deepEqual(names({ set: { OPENAI_API_KEY: "mine" } }), ["EDITOR", "HOME", "OPENAI_API_KEY", "PATH"]);
});

test("inherit core and none, exclude by pattern, set over what is inherited", () => {
  assert.deepEqual(names({ inherit: "core" }), ["HOME", "PATH"]);
  assert.deepEqual(names({ inherit: "none", set: { A: "1" } }), ["A"]);
  assert.deepEqual(names({ exclude: ["ed?tor", "HO*"] }), ["PATH"]);
  const policy: EnvironmentPolicy = {
    inherit: "all",
    ignoreDefaultExcludes: false,
    exclude: ["A"],
    set: { PATH: "/mine", A: "1" },
    includeOnly: [],
  };
  const found = commandEnvironment({ policy, from, modelKeys: [] });
  assert.equal(found["PATH"], "/mine");
  assert.equal(found["A"], "1");
});

test("patterns are not regular expressions", () => {
  assert.deepEqual(names({ exclude: ["PAT.", "(HOME|PATH)"] }), ["EDITOR", "HOME", "PATH"]);
});
