/** Loaded before a test file that has its own process: when something keeps that process alive after its tests, exits and reports what. */
import { after } from "node:test";

const patienceMs = 30_000;

// The test runner itself loads this too: it must not be treated as a test file.
if (process.env["NODE_TEST_CONTEXT"] !== undefined)
  after(() => {
    // Must not keep the process alive itself.
    setTimeout(() => {
      console.error(`still held open ${patienceMs / 1000} s after the last test by: ${process.getActiveResourcesInfo().join(", ")}`);
      process.exit(1);
    }, patienceMs).unref();
  });
