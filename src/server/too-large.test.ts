import assert from "node:assert/strict";
import { test } from "node:test";
import { clientRequests } from "../protocol/methods.ts";
import { smaller, tooLarge } from "./too-large.ts";

test("an answer that is too large names what the method offers instead", () => {
  for (const method of Object.keys(smaller)) assert.ok(method in clientRequests, method);
  assert.match(tooLarge("thread/resume").message, /thread\/resume has more than 100 MiB .* excludeTurns.*thread\/turns\/list/);
  assert.match(tooLarge("fs/readFile").message, /ask for less/);
});
