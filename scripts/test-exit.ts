/** Loaded before a file of tests that has a process of its own: when something keeps that process alive after its tests, it ends and says what. */
import { after } from "node:test";

const patienceMs = 30_000;

// The runner itself loads this too: it must not believe that it has tests.
if (process.env["NODE_TEST_CONTEXT"] !== undefined)
  after(() => {
    // Does not itself keep the process alive.
    setTimeout(() => {
      console.error(`still held open ${patienceMs / 1000} s after the last test by: ${process.getActiveResourcesInfo().join(", ")}`);
      process.exit(1);
    }, patienceMs).unref();
  });
