/** `npm start`: builds what is not built yet, then opens the manager: every session in the browser, with the offline tour if no model is set up. */
import { spawn } from "node:child_process";
import path from "node:path";
import { buildIfOld } from "./build.ts";

const started = performance.now();
const slow = setTimeout(() => process.stderr.write("Building Parley and its page, a few seconds …\n"), 300);
await buildIfOld();
clearTimeout(slow);
if (performance.now() - started > 300) process.stderr.write(`Built in ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
const entry = path.resolve(import.meta.dirname, "../dist/parley.cjs");
const child = spawn(process.execPath, [entry, "manager", ...process.argv.slice(2)], { stdio: "inherit" });
// The terminal sends its signals to both; the manager shuts down in order and this process ends with it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
child.on("close", (code) => {
  process.exitCode = code ?? 1;
});
