/** A revived turn keeps the limits it had when it asked; later limits count only where they are stricter. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AskForApproval, SandboxPolicy } from "../../protocol/policy.ts";
import type { Config } from "../ports/config.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import { narrower, revivedSettings } from "./revived-settings.ts";

const full: SandboxPolicy = { type: "dangerFullAccess" };
const readOnly: SandboxPolicy = { type: "readOnly", networkAccess: false };
const workspace = (writableRoots: string[], networkAccess = false): SandboxPolicy => ({
  ...{ type: "workspaceWrite", writableRoots, networkAccess },
  ...{ excludeSlashTmp: false, excludeTmpdirEnvVar: false },
});

const limits = (sandboxPolicy: SandboxPolicy, approvalPolicy: AskForApproval = "on-request") => ({ sandboxPolicy, approvalPolicy });
const settings = (sandboxPolicy: SandboxPolicy, approvalPolicy?: AskForApproval) =>
  limits(sandboxPolicy, approvalPolicy) as unknown as ThreadSettings;
const config = (sandboxMode: Config["sandboxMode"], extra: object = {}) =>
  ({
    ...{ sandboxMode, approvalPolicy: "on-request", requirements: { file: "requirements.toml" } },
    sandboxWorkspaceWrite: { writableRoots: [], networkAccess: false, excludeSlashTmp: false, excludeTmpdirEnvVar: false },
    ...extra,
  }) as unknown as Config;

const sandboxOf = (recorded: SandboxPolicy, then: SandboxPolicy, now: { thread: SandboxPolicy; config: Config }): SandboxPolicy =>
  revivedSettings(
    { settings: settings(recorded), configured: limits(readOnly), ofThread: limits(then) },
    { settings: settings(now.thread), config: now.config },
  ).sandboxPolicy;

test("a client that opens the thread with a wider sandbox widens nothing", () => {
  assert.deepEqual(sandboxOf(readOnly, readOnly, { thread: full, config: config("danger-full-access") }), readOnly);
});

test("what was granted for the turn stays, as long as the thread's own limits are as they were", () => {
  const granted = workspace(["/granted"]);
  assert.deepEqual(sandboxOf(granted, workspace([]), { thread: workspace([]), config: config("read-only") }), granted);
});

test("a thread whose limits are stricter now is held to them", () => {
  assert.deepEqual(sandboxOf(full, full, { thread: readOnly, config: config("read-only") }), readOnly);
  const narrowed = sandboxOf(workspace(["/a", "/b"], true), workspace(["/a", "/b"], true), {
    thread: workspace(["/b"], false),
    config: config("read-only"),
  });
  assert.deepEqual(narrowed, workspace(["/b"]));
});

test("a config that has become stricter counts, one that always was does not", () => {
  const revive = (configured: SandboxPolicy) =>
    revivedSettings(
      { settings: settings(full), configured: limits(configured), ofThread: limits(full) },
      { settings: settings(full), config: config("read-only") },
    ).sandboxPolicy;
  assert.deepEqual(revive(readOnly), full);
  assert.deepEqual(revive(full), readOnly);
});

test("requirements that forbid the recorded sandbox replace it", () => {
  const requirements = { file: "requirements.toml", allowedSandboxModes: ["read-only"] };
  assert.deepEqual(sandboxOf(full, full, { thread: full, config: config("read-only", { requirements }) }), readOnly);
});

test("a policy that asks more now counts", () => {
  const { approvalPolicy } = revivedSettings(
    { settings: settings(full, "never"), configured: limits(readOnly), ofThread: limits(full, "never") },
    { settings: settings(full, "untrusted"), config: config("read-only") },
  );
  assert.equal(approvalPolicy, "untrusted");
});

test("the narrower of two sandboxes has neither's extra network", () => {
  assert.deepEqual(narrower(workspace(["/a"], true), readOnly), readOnly);
  assert.deepEqual(narrower({ type: "readOnly", networkAccess: true }, workspace([], false)), readOnly);
  assert.deepEqual(narrower(full, workspace(["/a"], true)), workspace(["/a"], true));
});

test("a profile that has changed since leaves no right to write, and denies what either version denies", () => {
  const rules = (denied: string) => ({
    ...{ isWhole: true, globScanMaxDepth: null },
    entries: [
      { path: ":workspace_roots", access: "write" },
      { path: denied, access: "deny" },
    ],
  });
  const under = (fileRules: unknown) => ({ ...settings(workspace([])), fileRules }) as ThreadSettings;
  const revive = (now: unknown) =>
    revivedSettings(
      { settings: under(rules("/a")), configured: limits(readOnly), ofThread: limits(workspace([])) },
      { settings: under(now), config: config("read-only") },
    );
  assert.deepEqual([revive(rules("/a")).sandboxPolicy, revive(rules("/a")).fileRules], [workspace([]), rules("/a")]);
  const changed = revive(rules("/b"));
  assert.deepEqual(changed.sandboxPolicy, readOnly);
  assert.deepEqual(
    changed.fileRules?.entries.map((entry) => entry.path),
    [":workspace_roots", "/b", "/a"],
  );
});
