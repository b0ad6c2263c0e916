/** Reporter of the test runner: failures in full, one line for the rest, and the counts as JSON for the caller that sums them up. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";

export interface Counts {
  passed: number;
  failed: number;
  /** Each failed test; the file is the one that calls `test`, which may be a helper. */
  failures: { name: string; file: string }[];
  /** The slowest tests, longest first. */
  slowest: { name: string; ms: number }[];
  /** Name and reason of each skipped test. */
  skipped: { name: string; why: string }[];
}

// biome-ignore lint/style/noDefaultExport: the test runner takes the default export
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const counts: Counts = { passed: 0, failed: 0, failures: [], slowest: [], skipped: [] };
  for await (const event of events) {
    if (event.type === "test:pass" || event.type === "test:fail") {
      const { name, file, line, details, skip, todo } = event.data;
      // A suite has no result of its own, unless it failed before its tests could run.
      if (event.type === "test:pass" ? details.type === "suite" : isOfItsTests(event.data.details.error)) continue;
      counts.slowest.push({ name, ms: Math.round(details.duration_ms) });
      if (skip !== undefined && skip !== false) counts.skipped.push({ name, why: typeof skip === "string" ? skip : "no reason given" });
      else if (event.type === "test:pass") counts.passed++;
      else if (todo === undefined || todo === false) {
        counts.failed++;
        counts.failures.push({ name, file: file ?? "" });
        yield `✖ ${name}  (${file ?? "?"}:${line ?? "?"})\n${indent(reason(event.data.details.error))}\n`;
      }
    }
    if (event.type === "test:diagnostic" && event.data.message.startsWith("Error: ")) {
      counts.failed++;
      counts.failures.push(lateFailure(event.data.message));
      yield `✖ ${event.data.message}\n`;
    }
    if (event.type === "test:stdout" || event.type === "test:stderr") yield event.data.message;
  }
  counts.slowest = counts.slowest.sort((a, b) => b.ms - a.ms).slice(0, 20);
  const out = process.env["PARLEY_TEST_COUNTS"];
  if (out !== undefined) writeFileSync(out, JSON.stringify(counts));
}

/** An error after its test had ended fails the run and no test: it is told by a message alone. */
function lateFailure(message: string): Counts["failures"][number] {
  const [, name = "a test that the runner does not name", file = ""] = /^Error: Test "(.*)" at (.+?):\d+:\d+ generated/.exec(message) ?? [];
  return { name, file: file === "" ? "" : path.resolve(file) };
}

const isOfItsTests = (error: Error): boolean => "failureType" in error && error.failureType === "subtestsFailed";

function reason(error: Error): string {
  const { cause } = error;
  return cause === undefined ? error.message : inspect(cause, { depth: 4 });
}
const indent = (text: string): string => text.replace(/^/gm, "    ");
