/** `npm start`: builds what is not built yet, then shows what Parley does: its offline tour. */
import { spawn } from "node:child_process";
import path from "node:path";
import { buildIfOld } from "./build.ts";

await buildIfOld();
const entry = path.resolve(import.meta.dirname, "../dist/parley.cjs");
const child = spawn(process.execPath, [entry, "tour"], { stdio: "inherit" });
child.on("close", (code) => {
  process.exitCode = code ?? 1;
});
