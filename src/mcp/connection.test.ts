import assert from "node:assert/strict";
import { test } from "node:test";
import { InMemoryTransport } from "@modelcontextprotocol/client";
import { Server } from "@modelcontextprotocol/server";
import { McpConnection } from "./connection.ts";

test("of thousands of resources and templates a thousand are used, with a warning", async () => {
  const names = Array.from({ length: 5_000 }, (_, i) => `n${i}`);
  const server = new Server({ name: "many", version: "1" }, { capabilities: { resources: {}, tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: [] }));
  server.setRequestHandler("resources/list", () => ({ resources: names.map((name) => ({ name, uri: `many://${name}` })) }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: names.map((name) => ({ name, uriTemplate: `many://{${name}}` })),
  }));
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const cuts: string[] = [];
  const connection = new McpConnection({
    config: { name: "many", startupTimeoutMs: 60_000, toolTimeoutMs: 60_000, enabledTools: undefined, disabledTools: [] } as never,
    version: "1",
    now: () => 0,
    transport: async () => near,
    elicit: async () => ({ action: "decline" }),
    onState: () => {},
    onToolsChanged: () => {},
    onCut: (message) => cuts.push(message),
  });
  const { resources, templates } = await connection.offered();
  assert.deepEqual([resources.length, templates.length, resources[0]?.uri], [1000, 1000, "many://n0"]);
  assert.equal(cuts.length, 2);
  await connection.close();
});
