// Loaded into a server under test: its clock is off by the number of milliseconds in the file PARLEY_TEST_CLOCK.
const { readFileSync } = require("node:fs");
const real = Date.now;
const RealDate = Date;
const shifted = () => {
  try {
    return real() + Number(readFileSync(process.env.PARLEY_TEST_CLOCK, "utf8"));
  } catch {
    return real();
  }
};
globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(shifted());
    else super(...args);
  }
  static now() {
    return shifted();
  }
};
