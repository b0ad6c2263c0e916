/** The manager's smaller parts: rules file, devices, durable state, merged deltas, description. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { controlsFrom, merged, sandboxPolicy, startControls, turnSettings } from "../sessions/controls.ts";
import type { EngineLink } from "../sessions/link.ts";
import { idOf, parseRules, type RuleNotes, Rules } from "../sessions/rules.ts";
import { Access } from "./access.ts";
import { AuditLog } from "./audit.ts";
import { DeltaMerge } from "./delta-merge.ts";
import { passThroughName } from "./events.ts";
import { describeRoutes, operationId } from "./openapi.ts";
import { Problem } from "./problems.ts";
import { ManagerStore } from "./store.ts";

function folder(t: { after(run: () => void): void }): string {
  const made = mkdtempSync(path.join(tmpdir(), "parley-parts-"));
  t.after(() => rmSync(made, { recursive: true, force: true }));
  return made;
}
const silent = (): void => {};

test("rules are found among comments, other calls and odd spacing, and everything else is left unchanged", () => {
  const text = `# my rules\nprefix_rule(pattern=["git", "push"], decision="prompt")\n  prefix_rule (\n    pattern = ['rm', ['-r', '-rf'],], # careful\n    decision = 'forbidden',\n    justification = "it's final",\n  )\nhost_rule(host="x")\nprefix_rule(pattern=[x], decision="allow")\nprefix_rule(pattern=["ls"])\n`;
  assert.deepEqual(
    parseRules(text).map((r) => [r.pattern, r.decision, r.justification, r.line]),
    [
      [["git", "push"], "prompt", null, 2],
      [["rm", ["-r", "-rf"]], "forbidden", "it's final", 3],
      [["ls"], "allow", null, 10],
    ],
  );
  assert.notEqual(idOf(["a", "b"]), idOf(["a b"]));
});

test("no text makes the rules parser fail or hang", () => {
  const piece = fc.constantFrom("prefix_rule(", ")", "[", "]", '"', "'", "\\", "#", "\n", "pattern=", ",", "decision=", '"allow"', "x");
  fc.assert(fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => void parseRules(pieces.join(""))));
});

test("the state survives a restart, only its owner can read it, and a damaged file is moved aside", (t) => {
  const at = folder(t);
  const store = new ManagerStore(at, silent);
  store.change({ tombstones: [{ sessionId: "a", title: "A", deletedAt: "2026-01-01T00:00:00.000Z" }] });
  assert.equal(new ManagerStore(at, silent).state.tombstones[0]?.sessionId, "a");
  assert.equal(statSync(path.join(at, "state.json")).mode & 0o777, 0o600);
  writeFileSync(path.join(at, "state.json"), '{"version":"1","tombstones":[{}]');
  const warnings: string[] = [];
  assert.deepEqual(new ManagerStore(at, (m) => void warnings.push(m)).state.tombstones, []);
  assert.equal(warnings.length, 1);
  assert.ok(readdirSync(at).some((f) => f.includes("damaged")));
});

test("setting the clock back or ahead extends no link and locks nobody out", (t) => {
  let now = Date.UTC(2026, 0, 10);
  const access = new Access(new ManagerStore(folder(t), silent), "file-token-file-token", () => now);
  const hour = 3600_000;
  for (const jump of [-24 * hour, 365 * 24 * hour, -hour]) {
    const { code } = access.makeLink("read", "x");
    now += jump;
    assert.throws(() => access.signIn(code, "x"), /too old/);
  }
  for (let i = 0; i < 30; i++) assert.throws(() => access.signIn(`wrong ${i}`, "x"));
  now -= 24 * hour;
  assert.ok(access.signIn(access.makeLink("read", "x").code, "x").token);
});

test("a link works once and until it expires; a device as long as it is used", (t) => {
  let now = Date.UTC(2026, 0, 1);
  const access = new Access(new ManagerStore(folder(t), silent), "file-token-file-token", () => now);
  const { code } = access.makeLink("approve", "Phone");
  const { token, device, pageKey } = access.signInPage(code, "ignored");
  const scope = (cookie: string): string | undefined => {
    const found = access.page(pageKey, [cookie]);
    return found === undefined || found instanceof Problem ? undefined : found.scope;
  };
  assert.deepEqual([device.name, device.scope], ["Phone", "approve"]);
  assert.throws(() => access.signIn(code, undefined), Problem);
  assert.equal(scope(token), "approve");
  assert.equal(scope(`${token}x`), undefined);
  const late = access.makeLink("read", undefined);
  now += 11 * 60_000;
  assert.throws(() => access.signIn(late.code, undefined), Problem);
  now += 29 * 86_400_000;
  assert.ok(scope(token) !== undefined);
  now += 29 * 86_400_000;
  assert.ok(scope(token) !== undefined, "used within its time, it lasts");
  now += 31 * 86_400_000;
  assert.equal(scope(token), undefined);
});

test("the state file contains no token", (t) => {
  const at = folder(t);
  const access = new Access(new ManagerStore(at, silent), "file-token-file-token", Date.now);
  const { code } = access.makeLink("admin", undefined);
  const { token, pageKey } = access.signInPage(code, "x");
  const text = readFileSync(path.join(at, "state.json"), "utf8");
  assert.ok(!text.includes(token) && !text.includes(pageKey) && !text.includes(code) && !text.includes("file-token"));
});

test("the audit log continues its numbers after a restart, pages backwards, and skips a torn line", (t) => {
  const at = folder(t);
  const by = { kind: "system", name: "x" } as const;
  const log = new AuditLog(at, () => 0);
  for (let i = 0; i < 5; i++) log.write({ type: i % 2 === 0 ? "even" : "odd", by, summary: String(i), threadId: "t" });
  writeFileSync(path.join(at, "audit.jsonl"), `${readFileSync(path.join(at, "audit.jsonl"), "utf8")}{"torn`);
  const again = new AuditLog(at, () => 0);
  const page = again.page({ limit: 2 });
  assert.deepEqual([page.data.map((e) => e.seq), page.nextBefore], [[5, 4], 4]);
  assert.deepEqual(
    again.page({ limit: 9, before: 4, type: "even" }).data.map((e) => e.seq),
    [3, 1],
  );
});

test("deltas of one stream are merged in order, and nothing overtakes them", () => {
  const received: string[] = [];
  const merge = new DeltaMerge(
    ({ method, params }) =>
      void received.push(method === "item/agentMessage/delta" ? `${method} ${params.itemId} ${params.delta}` : `${method} unexpected`),
  );
  const delta = (itemId: string, text: string): boolean =>
    merge.take({ method: "item/agentMessage/delta", params: { threadId: "t", turnId: "u", itemId, delta: text } });
  assert.ok(delta("a", "1") && delta("a", "2") && delta("b", "3"));
  assert.ok(!merge.take({ method: "thread/closed", params: { threadId: "t" } }));
  merge.flush();
  assert.deepEqual(received, ["item/agentMessage/delta a 12", "item/agentMessage/delta b 3"]);
});

test("controls and the engine's settings mean the same", () => {
  for (const filesystemSandbox of ["read-only", "workspace-write", "danger-full-access"] as const)
    for (const networkAccess of ["restricted", "enabled"] as const) {
      const back = controlsFrom(
        { model: "m", effort: null, approvalPolicy: "never", sandbox: sandboxPolicy({ filesystemSandbox, networkAccess }) },
        null,
      );
      assert.equal(back.filesystemSandbox, filesystemSandbox);
      assert.equal(back.networkAccess, filesystemSandbox === "danger-full-access" ? "enabled" : networkAccess);
    }
  assert.equal(turnSettings(merged(startControls, { approvalPolicy: "on-failure" })).approvalPolicy, "on-request");
});

test("a permission profile of the settings stays in force until another sandbox is chosen", () => {
  const settings = {
    model: "m",
    effort: null,
    approvalPolicy: "never",
    sandbox: { type: "workspaceWrite" },
    profile: { id: "locked" },
  } as const;
  const controls = controlsFrom(settings, null);
  const sent = turnSettings(merged(controls, { model: "other" }));
  assert.deepEqual([sent.permissions, sent.sandboxPolicy], ["locked", undefined]);
  const replaced = turnSettings(merged(controls, { filesystemSandbox: "read-only" }));
  assert.deepEqual([replaced.permissions, replaced.sandboxPolicy?.type], [undefined, "readOnly"]);
  const builtIn = turnSettings(controlsFrom({ ...settings, profile: { id: ":workspace" } }, null));
  assert.equal(builtIn.sandboxPolicy?.type, "workspaceWrite");
});

test("the engine's methods have a name in the stream", () => {
  assert.equal(passThroughName("item/fileChange/requestApproval", "request"), "app_server.request.item.file_change.request_approval");
  assert.equal(passThroughName("thread/tokenUsage/updated", "notification"), "app_server.thread.token_usage.updated");
});

test("the description refers only to what it defines, and every operation has a unique name", () => {
  const document = describeRoutes("1.2.3");
  const text = JSON.stringify(document);
  for (const [, name] of text.matchAll(/#\/components\/schemas\/([^"]+)/g))
    assert.ok(Object.hasOwn(document.components.schemas, name ?? ""), `${name} is defined`);
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map((o) => (o as { operationId: string }).operationId),
  );
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(operationId("POST /api/sessions/:sessionId/messages"), "postSessionsMessages");
});

test("rules for commands outside the sandbox are listed, changed and removed in their own file", async () => {
  const files = new Map([
    ["/home/rules/default.rules", 'prefix_rule(pattern=["git", "status"], decision="allow")\n'],
    ["/home/rules/outside-sandbox.rules", 'prefix_rule(pattern=["git", "status"], decision="allow")\n'],
  ]);
  const link = {
    codexHome: "/home",
    async call(method: string, params: Record<string, string>) {
      const file = params["path"] ?? "";
      if (method === "fs/writeFile") files.set(file, Buffer.from(params["dataBase64"] ?? "", "base64").toString());
      return method === "fs/readFile" ? { dataBase64: Buffer.from(files.get(file) ?? "").toString("base64") } : {};
    },
  } as unknown as EngineLink;
  let notes: RuleNotes = {};
  const store = {
    read: () => notes,
    write(next: RuleNotes): void {
      notes = next;
    },
  };
  let now = 0;
  const rules = new Rules(
    () => link,
    store,
    () => now,
  );
  const { data } = await rules.list();
  assert.deepEqual(
    data.map(({ ruleId, outsideSandbox }) => [ruleId.startsWith("outside-"), outsideSandbox]),
    [
      [false, false],
      [true, true],
    ],
  );
  const outside = data[1]?.ruleId ?? "";
  await rules.change(outside, { expiresAt: new Date(1000).toISOString() });
  assert.equal(files.get("/home/rules/default.rules"), 'prefix_rule(pattern=["git", "status"], decision="allow")\n');
  now = 2000;
  await rules.sweep();
  assert.deepEqual(
    [...files.values()].map((text) => text.includes("git")),
    [true, false],
  );
  await assert.rejects(rules.remove(outside), /There is no such rule/);
});
