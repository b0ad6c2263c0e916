import assert from "node:assert/strict";
import { test } from "node:test";
import type { Request } from "./define.ts";
import { experimentalPart, type Generation } from "./gate.ts";
import { clientRequests } from "./methods.ts";

const tool = { type: "function", name: "t", description: "d", inputSchema: {} };
const granular = { granular: { sandbox_approval: true, rules: true, mcp_elicitations: true } };
const part = (generation: Generation, method: keyof typeof clientRequests, params: Record<string, unknown>): string | undefined =>
  experimentalPart(method, clientRequests[method] as Request, params, generation);

test("current clients need the capability for everything that 0.166 gates", () => {
  const gated: [keyof typeof clientRequests, Record<string, unknown>, string][] = [
    ["thread/start", { dynamicTools: [tool] }, "thread/start.dynamicTools"],
    ["thread/start", { dynamicTools: [] }, "thread/start.dynamicTools"],
    ["thread/start", { experimentalRawEvents: true }, "thread/start.experimentalRawEvents"],
    ["thread/start", { historyMode: "paginated" }, "thread/start.historyMode"],
    ["thread/start", { approvalPolicy: granular }, "askForApproval.granular"],
    ["turn/start", { collaborationMode: {} }, "turn/start.collaborationMode"],
    ["turn/start", { additionalContext: {} }, "turn/start.additionalContext"],
    ["turn/start", { approvalPolicy: granular }, "askForApproval.granular"],
    ["thread/resume", { path: "/x" }, "thread/resume.path"],
    ["thread/resume", { history: [] }, "thread/resume.history"],
    ["thread/fork", { attachToSource: true }, "thread/fork.attachToSource"],
    ["thread/list", { parentThreadId: "x" }, "thread/list.parentThreadId"],
    ["command/exec", { permissionProfile: "x" }, "command/exec.permissionProfile"],
    ["collaborationMode/list", {}, "collaborationMode/list"],
    ["thread/search", {}, "thread/search"],
    ["thread/settings/update", { approvalPolicy: granular }, "thread/settings/update"],
  ];
  for (const [method, params, expected] of gated) assert.equal(part("current", method, params), expected);
  const open: [keyof typeof clientRequests, Record<string, unknown>][] = [
    ["thread/start", { dynamicTools: null, experimentalRawEvents: false, permissions: null, approvalPolicy: "on-request" }],
    ["thread/fork", { attachToSource: false }],
    ["model/list", {}],
  ];
  for (const [method, params] of open) assert.equal(part("current", method, params), undefined);
});

test("the documents' clients need it only for dynamic tools and experimental methods", () => {
  assert.equal(part("documents", "thread/start", { dynamicTools: [tool] }), "thread/start.dynamicTools");
  assert.equal(part("documents", "collaborationMode/list", {}), "collaborationMode/list");
  assert.equal(part("documents", "thread/backgroundTerminals/clean", {}), "thread/backgroundTerminals/clean");
  assert.equal(part("documents", "thread/start", { dynamicTools: [], experimentalRawEvents: true, historyMode: "legacy" }), undefined);
  assert.equal(part("documents", "thread/resume", { path: "/x", history: [{}] }), undefined);
  assert.equal(part("documents", "turn/start", { collaborationMode: {} }), undefined);
});
