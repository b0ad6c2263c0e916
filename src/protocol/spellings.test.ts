import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fits, problem } from "../lib/schema.ts";
import type { Request } from "./define.ts";
import { readDynamicToolAnswer } from "./dynamic-tool.ts";
import { RpcError } from "./errors.ts";
import { clientRequests } from "./methods.ts";
import { SandboxPolicy } from "./policy.ts";
import { approvalPolicy, collaborationMode, dynamicTools, sandboxMode, sandboxPolicy, userInput } from "./spellings.ts";
import { v1Requests } from "./v1/methods.ts";

/** A row's result for params: the converted ones, or the error message. */
function read(row: Request, given: Record<string, unknown>): unknown {
  try {
    const params = row.accept?.(given) ?? given;
    const wrong = problem(row.params(), params);
    return wrong === undefined ? params : `refused: ${wrong}`;
  } catch (error) {
    assert.ok(error instanceof RpcError);
    return `refused: ${error.message}`;
  }
}
const thread = "01a1ddf7-bbd6-7142-a14f-c3fb9104d4ec";
const turn = (fields: Record<string, unknown>): unknown => read(clientRequests["turn/start"], { threadId: thread, input: [], ...fields });

test("approval policies and sandbox modes are read in every spelling in use, and in no other", () => {
  for (const spelling of ["unlessTrusted", "unless-trusted", "unless_trusted", "untrusted"])
    assert.equal(approvalPolicy(spelling), "untrusted");
  for (const spelling of ["onFailure", "on-failure", "on_failure"]) assert.equal(approvalPolicy(spelling), "on-failure");
  for (const spelling of ["onRequest", "on-request"]) assert.equal(approvalPolicy(spelling), "on-request");
  for (const spelling of ["always-yes", "", "ONREQUEST", "OnRequest", "on--request", "constructor", "__proto__", 5, null, {}])
    assert.deepEqual(approvalPolicy(spelling), spelling);
  for (const spelling of ["workspaceWrite", "workspace-write", "workspace_write"]) assert.equal(sandboxMode(spelling), "workspace-write");
  for (const spelling of ["no-such-mode", "WorkspaceWrite", "danger", "full-access", "toString"])
    assert.equal(sandboxMode(spelling), spelling);
});

test("an unreadable policy is refused by name, never replaced", () => {
  assert.match(String(turn({ approvalPolicy: "always-yes" })), /unknown variant `always-yes`.*in `approvalPolicy`/);
  assert.match(
    String(turn({ sandboxPolicy: "readOnly" })),
    /invalid type: string "readOnly", expected internally tagged enum SandboxPolicy/,
  );
  assert.match(String(turn({ sandboxPolicy: {} })), /missing field `type` in `sandboxPolicy`/);
  assert.match(String(turn({ sandboxPolicy: { type: "fullAccess" } })), /unknown variant `fullAccess`/);
  assert.match(String(turn({ sandboxPolicy: { type: 5 } })), /^refused/);
  assert.match(String(turn({ sandboxPolicy: [] })), /^refused/);
  assert.match(String(turn({ sandboxPolicy: { type: "readOnly", mode: "danger-full-access" } })), /`type` and a `mode` that disagree/);
  assert.match(
    String(turn({ sandboxPolicy: { type: "workspaceWrite", networkAccess: false, network_access: true } })),
    /`sandboxPolicy.networkAccess` and `sandboxPolicy.network_access` disagree/,
  );
  assert.match(String(turn({ sandboxPolicy: { type: "workspaceWrite", writableRoots: ["relative"] } })), /must be an absolute path/);
  assert.match(String(turn({ sandboxPolicy: JSON.parse('{"__proto__":{"type":"dangerFullAccess"}}') })), /missing field `type`/);
});

test("a sandbox policy is read with either tag, in either case, with either fields", () => {
  const expected = {
    type: "workspaceWrite",
    writableRoots: ["/a"],
    networkAccess: true,
    excludeSlashTmp: false,
    excludeTmpdirEnvVar: true,
  };
  const forms = [
    expected,
    { type: "workspace-write", writable_roots: ["/a"], network_access: true, exclude_slash_tmp: false, exclude_tmpdir_env_var: true },
    { mode: "workspace-write", writableRoots: ["/a"], networkAccess: true, excludeSlashTmp: false, excludeTmpdirEnvVar: true },
    { ...expected, mode: "workspace-write", writable_roots: ["/a"] },
  ];
  for (const form of forms) assert.deepEqual(sandboxPolicy(form), expected);
  assert.deepEqual(sandboxPolicy({ mode: "read-only" }), { type: "readOnly" });
  assert.deepEqual(sandboxPolicy({ type: "external-sandbox", network_access: "enabled" }), {
    type: "externalSandbox",
    networkAccess: "enabled",
  });
});

test("no value becomes a more permissive policy than the one it names", () => {
  const tags = fc.constantFrom<unknown>("readOnly", "read-only", "workspaceWrite", "workspace_write", "dangerFullAccess", "x", 5, null, {});
  const policy = fc.record({ type: tags, mode: tags, networkAccess: fc.anything(), network_access: fc.anything() }, { requiredKeys: [] });
  fc.assert(
    fc.property(policy, (given) => {
      let read: unknown;
      try {
        read = sandboxPolicy(given);
      } catch {
        return;
      }
      if (!fits(SandboxPolicy(), read)) return;
      const tags = [given.type, given.mode].filter((tag) => typeof tag === "string");
      const { type } = read as SandboxPolicy;
      assert.ok(tags.length > 0 && tags.every((tag) => String(tag).replace(/[-_]/g, "").toLowerCase() === type.toLowerCase()));
    }),
  );
});

test("collaboration modes keep their names, in one spelling", () => {
  const mode = (name: string): unknown => (collaborationMode({ mode: name, settings: { model: "m" } }) as { mode: unknown }).mode;
  for (const name of ["pair_programming", "pair-programming", "pairProgramming", "Pair Programming", "pair"])
    assert.equal(mode(name), "pair_programming");
  assert.equal(mode("Plan"), "plan");
  assert.equal(mode("nonsense"), "nonsense");
});

test("input items of both APIs are converted to the same form", () => {
  const items = [
    { type: "text", data: { text: "a" } },
    { type: "text", text: "a" },
    { type: "image", data: { image_url: "u" } },
    { type: "image", data: { imageUrl: "u" } },
    { type: "image", url: "u" },
    { type: "localImage", data: { path: "/p" } },
    { type: "local_image", path: "/p" },
  ];
  const [text, , image, , , local] = userInput(items) as Record<string, unknown>[];
  assert.equal(text?.["text"], "a");
  assert.equal(image?.["url"], "u");
  assert.deepEqual(local, { type: "localImage", path: "/p" });
  const params = turn({ input: items });
  assert.equal((params as { input: unknown[] }).input.length, items.length);
  assert.match(String(turn({ input: [{ type: "text", data: "x" }] })), /missing field `text` in `input\[0\]`/);
  assert.match(String(turn({ input: [{ type: "image" }] })), /missing field `url` or `fileId` in `input\[0\]`/);
});

test("the older API's own examples are read", () => {
  const sent = {
    conversationId: thread,
    items: [
      { type: "text", data: { text: "User message here" } },
      { type: "image", data: { imageUrl: "data:image/png;base64,AA" } },
    ],
    cwd: "/working/directory",
    approvalPolicy: "on-request",
    sandboxPolicy: { mode: "workspace-write", writableRoots: [], networkAccess: false },
    model: "claude-sonnet-4-5",
    effort: "medium",
    summary: "concise",
  };
  const got = read(v1Requests.sendUserTurn, sent) as { sandboxPolicy: unknown; items: unknown };
  assert.deepEqual(got.sandboxPolicy, { type: "workspaceWrite", writableRoots: [], networkAccess: false });
  assert.match(String(read(v1Requests.resumeConversation, {})), /either path, conversation id or non empty history/);
  const overridden = read(v1Requests.resumeConversation, { path: "/x", overrides: { sandbox: "readOnly" } });
  assert.deepEqual((overridden as { overrides: unknown }).overrides, { sandbox: "read-only" });
});

test("flat dynamic tools become functions, also inside a namespace", () => {
  const flat = { name: "a", description: "d", inputSchema: {} };
  assert.deepEqual(dynamicTools([flat, { type: "namespace", name: "n", description: "d", tools: [flat] }]), [
    { ...flat, type: "function" },
    { type: "namespace", name: "n", description: "d", tools: [{ ...flat, type: "function" }] },
  ]);
  assert.match(
    String(read(clientRequests["thread/start"], { dynamicTools: [{ ...flat, type: "zzz" }] })),
    /unknown variant `zzz`, expected `function` or `namespace`/,
  );
  assert.match(String(read(clientRequests["thread/start"], { dynamicTools: [5] })), /^refused/);
});

test("answers of dynamic tools are read in every form", () => {
  const text = { contentItems: [{ type: "inputText", text: "x" }], success: true };
  for (const answer of [
    "x",
    { output: "x", success: true },
    { contentItems: [{ type: "inputText", text: "x" }], success: true },
    { content: ["x"] },
  ])
    assert.deepEqual(readDynamicToolAnswer(answer), text);
  assert.deepEqual(readDynamicToolAnswer({ contentItems: [{ type: "input_image", image_url: "u" }], success: false })?.contentItems[0], {
    type: "inputImage",
    image_url: "u",
    imageUrl: "u",
  });
  for (const answer of [
    null,
    5,
    [],
    {},
    { success: true },
    { contentItems: 5 },
    { contentItems: [{ type: "zzz" }] },
    { output: "x", success: "yes" },
  ])
    assert.equal(readDynamicToolAnswer(answer), undefined, JSON.stringify(answer));
});

test("feedback names its thread under either name", () => {
  const row = clientRequests["feedback/upload"];
  assert.equal((read(row, { classification: "bug", conversation_id: "c" }) as { threadId: unknown }).threadId, "c");
  assert.match(String(read(row, { classification: "bug", conversation_id: "c", threadId: "t" })), /disagree/);
});

test("converting any params throws nothing but wire errors, and does not modify the given ones", () => {
  const rows = Object.entries({ ...clientRequests, ...v1Requests }).flatMap(([name, row]) =>
    "accept" in row ? [[name, row] as const] : [],
  );
  const keys = fc.constantFrom(
    "threadId",
    "input",
    "items",
    "sandboxPolicy",
    "approvalPolicy",
    "collaborationMode",
    "dynamicTools",
    "overrides",
    "__proto__",
    "type",
    "mode",
  );
  const params = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom<unknown>("text", "image", "namespace", "workspace-write", "untrusted", 5, null, true),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(keys, tie("value"), { maxKeys: 4 }),
    ),
  })).value;
  fc.assert(
    fc.property(fc.constantFrom(...rows), fc.dictionary(keys, params), ([, row], value) => {
      const line = JSON.stringify(value);
      const given = JSON.parse(line) as Record<string, unknown>;
      try {
        (row as Request).accept?.(given);
      } catch (error) {
        assert.ok(error instanceof RpcError, String(error));
      }
      assert.equal(JSON.stringify(given), line);
    }),
  );
});

test("deep nesting inside policies and input does not crash", () => {
  let deep: unknown = [];
  for (let i = 0; i < 200_000; i++) deep = i % 2 === 0 ? [deep] : { data: deep, tools: deep };
  for (const field of ["input", "sandboxPolicy", "approvalPolicy", "collaborationMode"])
    assert.match(String(turn({ [field]: deep })), /^refused/);
  assert.match(String(turn({ sandboxPolicy: { type: "workspaceWrite", writableRoots: deep, writable_roots: deep } })), /^refused/);
});
