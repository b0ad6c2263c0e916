/** Fuzz targets on a whole manager: request heads and websocket openings of any kind, and bodies of every route. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { jsonSchema } from "../../src/lib/schema.ts";
import type { Route } from "../../src/manager/api/define.ts";
import { type RouteName, routes } from "../../src/manager/api.ts";
import type { Printed } from "../oracle/versions.ts";
import { arbitraryOf } from "../support/arbitrary.ts";
import { scratchFolder, startManager, type TestManager } from "../support/manager.ts";
import { ableEngine, addressOf } from "../support/manager-calls.ts";
import { oddTargets, rawStatus, upgradeHeaders } from "../support/odd-targets.ts";
import { hostile, nearly } from "./server.ts";
import { oddText, type Target, target } from "./target.ts";

/** A manager that lives as long as its target. */
class Stage {
  readonly #scratch = scratchFolder();
  readonly #manager = startManager({ engine: ableEngine(), folder: this.#scratch.folder, workspace: "/work" });

  manager(): Promise<TestManager> {
    return this.#manager;
  }
  /** It lives, and said of nothing that it was our own fault. */
  async healthy(): Promise<void> {
    const it = await this.#manager;
    assert.deepEqual((await it.call("GET /api/health", undefined, {})).body, { status: "ok" });
    assert.deepEqual(
      it.warnings.splice(0).filter((line) => !/refused/.test(line)),
      [],
    );
  }
  async close(): Promise<void> {
    await (await this.#manager).close();
    this.#scratch.remove();
  }
}

const line = fc.string({ unit: "binary", maxLength: 40 }).map((text) => text.replace(/[\r\n]/g, ""));
const header = fc.oneof(
  fc.constantFrom(...upgradeHeaders, "Host: localhost", "Host: evil.example", "Host:", "Origin: null", "Cookie: parley_1=x; ;=;"),
  fc.constantFrom("Authorization: Bearer", "Authorization: Bearer x", "Sec-WebSocket-Protocol: ,,parley.key.,", "X-Parley-Key: \u00ff"),
  fc.constantFrom("Transfer-Encoding: chunked", "Content-Length: 5", "Expect: 100-continue", "Upgrade: h2c", "Sec-WebSocket-Version: 99"),
  fc.tuple(line, line).map(([name, value]) => `${name}: ${value}`),
);

function upgrades(): Target {
  let stage: Stage | undefined;
  return target({
    name: "upgrades",
    input: fc.record({
      method: fc.oneof({ arbitrary: fc.constant("GET"), weight: 5 }, fc.constantFrom("POST", "CONNECT", "OPTIONS", "PRI", "get")),
      path: fc.oneof(fc.constantFrom(...oddTargets, "/api/stream", "/rpc"), line),
      headers: fc.array(header, { maxLength: 8 }),
      opens: fc.boolean(),
    }),
    check: async ({ method, path, headers, opens }) => {
      stage ??= new Stage();
      const { port } = (await stage.manager()).served;
      const opening = opens ? [...upgradeHeaders, "Host: localhost"] : [];
      const status = await rawStatus(port, [`${method} ${path} HTTP/1.1`, ...opening, ...headers, "Connection: close"]);
      assert.ok(status !== 101 && status !== 500, `a stranger was answered with ${status}`);
      await stage.healthy();
    },
    close: async () => stage?.close(),
  });
}

function bodies(): Target {
  let stage: Stage | undefined;
  const taking = (Object.entries(routes) as [RouteName, Route][]).filter(([, { body }]) => body !== undefined);
  const input = fc.constantFrom(...taking).chain(([route, { body }]) => {
    const right = body === undefined ? hostile : arbitraryOf(jsonSchema(body()) as Printed, {} as Printed);
    const value = fc.oneof(right, right.chain(nearly), hostile);
    return fc.record({
      route: fc.constant(route),
      text: fc.oneof(
        value.map((one) => JSON.stringify(one) ?? ""),
        oddText,
      ),
    });
  });
  return target({
    name: "bodies",
    input,
    check: async ({ route, text }) => {
      stage ??= new Stage();
      const it = await stage.manager();
      const { status, body } = await it.call(`${route.split(" ")[0]} ${addressOf(route)}`, text);
      assert.notEqual(body["code"], "internal_error", `${status}: ${JSON.stringify(body)}`);
      if (status >= 400) assert.ok(JSON.stringify(body).length < 10_000, `a refusal of ${JSON.stringify(body).length} characters`);
      assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
      await stage.healthy();
    },
    close: async () => stage?.close(),
  });
}

export const managerTargets: readonly Target[] = [upgrades(), bodies()];
