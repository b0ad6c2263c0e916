/** Loaded before the tests by `npm test`: properties are tried on the same inputs in every run, so that a failure tells of the code and not of the dice. */
import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env["PARLEY_SEED"] ?? 1) });
