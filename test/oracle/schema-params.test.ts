/** Params that the real versions' schemas allow are accepted by our rows. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { problem } from "../../src/lib/schema.ts";
import type { Request } from "../../src/protocol/define.ts";
import { RpcError } from "../../src/protocol/errors.ts";
import { clientRequests } from "../../src/protocol/methods.ts";
import { refusalOf } from "../../src/protocol/unsupported.ts";
import { v1Requests } from "../../src/protocol/v1/methods.ts";
import { arbitraryOf } from "../support/arbitrary.ts";
import { oracleOf, sharedFolder, type Version, versions } from "./versions.ts";

const skip = "skip" in sharedFolder ? sharedFolder.skip : false;
const rows: Readonly<Record<string, Request>> = { ...clientRequests, ...v1Requests };
const runs = 60;

/** Values of the right types that the real servers refuse too, by our error messages. */
const refusedThereToo: Readonly<Record<string, RegExp>> = {
  "command/exec":
    /^(command must not be empty|.*timeoutMs must be non-negative|.*cannot set both|.*requires a client-supplied processId|.*size requires tty|.*greater than 0)/,
  "command/exec/resize": /greater than 0/,
  execOneOffCommand: /^command must not be empty/,
  "thread/shellCommand": /^(command must not be empty|.*must be non-negative)/,
  "thread/rollback": /^numTurns must be >= 1/,
  "thread/name/set": /^thread name must not be empty/,
  "thread/inject_items": /^items must not be empty/,
  "thread/attachment/add": /^(attachmentType|identityKey) must not be empty/,
  "project/create": /^(idempotencyKey|project name) must not be empty|^duplicate /,
  "project/import": /^(idempotencyKey|project name) must not be empty|^duplicate /,
  "project/update": /^project name must not be empty|^duplicate /,
  "threadSection/create": /^section name must not be empty/,
  "threadSection/update": /^section(Id| name) must not be empty/,
  "feedback/save": /^feedback savePath must be an absolute host path/,
  "process/spawn": /^(command|processHandle) must not be empty|must be non-negative|greater than 0|requires tty/,
  "process/writeStdin": /requires deltaBase64 or closeStdin|^invalid deltaBase64/,
  "process/resizePty": /greater than 0/,
  "thread/queue/add": /^only user input can be added|must not be empty/,
  "thread/queue/update": /^only user input can be added|must not be empty/,
  "thread/goal/set": /^goal (?:objective must|budgets must)/,
  "review/start": /must not be empty/,
  "command/exec/write": /requires deltaBase64 or closeStdin|^invalid deltaBase64/,
  "skills/config/write": /exactly one of path or name|must be an absolute path/,
  "mcpServer/oauth/login": /must be non-negative/,
  resumeConversation: /^either path, conversation id or non empty history/,
  forkConversation: /^either path or conversation id/,
};
/** Many values exclude each other, or are not paths, so most samples are refused by both servers. */
const mostlyRefused: ReadonlySet<string> = new Set([
  "command/exec",
  "command/exec/write",
  "feedback/save",
  "process/spawn",
  "process/writeStdin",
  "skills/config/write",
]);

function refusal(row: Request, params: Record<string, unknown>): string | undefined {
  try {
    return problem(row.params(), row.accept?.(params) ?? params);
  } catch (error) {
    assert.ok(error instanceof RpcError, `${error}`);
    return error.message;
  }
}

for (const version of versions) {
  test(`params of ${version} are taken`, { skip }, () => {
    let tried = 0;
    for (const [name, params] of oracleOf(version).paramsOf) {
      const [union, method = ""] = name.split(" ");
      if (union !== "ClientRequest") continue;
      const row = rows[method];
      if (row === undefined) {
        assert.ok(
          refusalOf(method) !== undefined || (row !== undefined && Object.hasOwn(v1Requests, method)),
          `${method} of ${version} has no row`,
        );
        continue;
      }
      if (params?.$ref === undefined) continue;
      tried++;
      assertTaken(version, method, row, arbitraryOf(params, oracleOf(version).bundle) as fc.Arbitrary<Record<string, unknown>>);
    }
    assert.ok(tried > 40, `only ${tried} methods tried`);
  });
}

function assertTaken(version: Version, method: string, row: Request, params: fc.Arbitrary<Record<string, unknown>>): void {
  let taken = 0;
  fc.assert(
    fc.property(params, (given) => {
      const message = refusal(row, JSON.parse(JSON.stringify(given)) as Record<string, unknown>);
      if (message === undefined) taken++;
      else assert.match(message, refusedThereToo[method] ?? /^$/, `${version} ${method} ${JSON.stringify(given)}: ${message}`);
    }),
    { numRuns: runs },
  );
  if (!mostlyRefused.has(method)) assert.ok(taken > runs / 4, `${version} ${method}: only ${taken} of ${runs} taken`);
}
