import assert from "node:assert/strict";
import { test } from "node:test";
import { succeeded, type Tool } from "../ports/tool.ts";
import { findTool } from "./find-tool.ts";

const tool = (name: string, namespace?: string): Tool => ({
  name,
  ...(namespace === undefined ? {} : { namespace }),
  face: { type: "function", description: "", parameters: {} },
  plan: () => succeeded(""),
});

test("a tool is found by its name in its namespace or by its flat name, and never in place of another namespace's tool", () => {
  const write = tool("write");
  const notes = tool("write", "mcp__notes");
  const all = [write, notes];
  assert.equal(findTool("write", undefined, all), write);
  assert.equal(findTool("write", "mcp__notes", all), notes);
  assert.equal(findTool("mcp__notes__write", undefined, all), notes);
  assert.equal(findTool("mcp__notes__write", "mcp__notes", all), notes);
  assert.equal(findTool("write", "functions", all), write);
  assert.equal(findTool("write", "mcp__notes", [write]), undefined);
});
