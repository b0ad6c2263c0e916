/** Loaded before the tests by `npm test`: property tests use the same inputs in every run, so that a failure is due to the code and not to chance. */
import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env["PARLEY_SEED"] ?? 1) });
