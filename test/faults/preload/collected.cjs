// Loaded into a server under test: on SIGUSR2 it collects garbage and writes the remaining heap size, in MB, to the file PARLEY_TEST_MEMORY.
const { renameSync, writeFileSync } = require("node:fs");
const { setFlagsFromString } = require("node:v8");
const { runInNewContext } = require("node:vm");
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
process.on("SIGUSR2", () => {
  collect();
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  const file = process.env.PARLEY_TEST_MEMORY;
  writeFileSync(`${file}.new`, JSON.stringify({ held: (heapUsed + external) / 2 ** 20, rss: rss / 2 ** 20 }));
  renameSync(`${file}.new`, file);
});
