/** Tools keep their identity on wires that support only plain functions. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { contractTools } from "../../test/support/model-mocks/events.ts";
import { flattenTools } from "./tools.ts";

describe("flattenTools", () => {
  it("flattens namespaces and free-form tools, and maps calls back", () => {
    const flat = flattenTools(contractTools);
    assert.deepEqual(
      flat.tools.map((tool) => tool.name),
      ["exec_command", "apply_patch", "mcp__files__read"],
    );
    assert.deepEqual(flat.callIn({ callId: "1", name: "mcp__files__read", args: "{}" }), {
      type: "function_call",
      call_id: "1",
      name: "read",
      namespace: "mcp__files",
      arguments: "{}",
    });
    assert.deepEqual(flat.callIn({ callId: "2", name: "apply_patch", args: '{"input":"*** Begin"}' }), {
      type: "custom_tool_call",
      call_id: "2",
      name: "apply_patch",
      input: "*** Begin",
    });
  });

  it("accepts the bare text of a free-form call, and empty or broken arguments", () => {
    const flat = flattenTools(contractTools);
    const input = (args: string): unknown => {
      const item = flat.callIn({ callId: "1", name: "apply_patch", args });
      return item.type === "custom_tool_call" ? item.input : undefined;
    };
    assert.equal(input("*** Begin Patch"), "*** Begin Patch");
    assert.equal(input('"*** Begin Patch"'), "*** Begin Patch");
    const empty = flat.callIn({ callId: "1", name: "exec_command", args: "" });
    assert.ok(empty.type === "function_call" && empty.arguments === "{}");
    const call = {
      kind: "call" as const,
      callId: "1",
      name: "exec_command",
      namespace: undefined,
      custom: false,
      input: '{"cmd": "un',
      sealed: undefined,
    };
    assert.deepEqual(JSON.parse(flat.callOut(call).args), { unparsable_arguments: '{"cmd": "un' });
  });

  it("shortens long names without confusing them", () => {
    const long = (name: string) => ({ type: "function" as const, name, description: "", parameters: {} });
    const flat = flattenTools([
      { type: "namespace", name: "n".repeat(60), description: "", tools: [long("first_tool"), long("first_tool2")] },
    ]);
    const names = flat.tools.map((tool) => tool.name);
    assert.ok(names.every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name)));
    assert.equal(new Set(names).size, 2);
    const item = flat.callIn({ callId: "1", name: names[1] ?? "", args: "{}" });
    assert.ok(item.type === "function_call" && item.name === "first_tool2");
  });
});
