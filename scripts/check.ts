/** `npm run check`: everything that must pass before a change is submitted. `--no-tests` leaves the tests to the caller. */
import { spawnSync } from "node:child_process";
import path from "node:path";

interface Step {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
}

const root = path.resolve(import.meta.dirname, "..");
const node = process.execPath;
const tool = (name: string): string => path.join(root, "node_modules", ".bin", name);

const steps: readonly Step[] = [
  { name: "format and lint", program: node, args: [tool("biome"), "check", "."] },
  { name: "types", program: node, args: [tool("tsc"), "-p", "."] },
  { name: "types of the page", program: node, args: [tool("tsc"), "-p", "apps/web"] },
  { name: "types of the extension", program: node, args: [tool("tsc"), "-p", "apps/vscode"] },
  { name: "import rule and lengths", program: node, args: ["scripts/check-layers.ts"] },
  { name: "functions fit a screen", program: node, args: ["scripts/check-functions.ts"] },
  { name: "no import cycles, no file that nobody imports", program: node, args: ["scripts/check-cycles.ts"] },
  { name: "one way to read and write files", program: node, args: ["scripts/check-files.ts"] },
  { name: "one way for ids and error texts", program: node, args: ["scripts/check-one-way.ts"] },
  { name: "no loose ends", program: node, args: ["scripts/check-loose-ends.ts"] },
  { name: "lockfile", program: node, args: ["scripts/lockcheck.ts"] },
  { name: "generated files are fresh", program: node, args: ["scripts/generate.ts", "--check"] },
];
const tests: Step = { name: "tests", program: node, args: ["scripts/test.ts"] };

let failed = 0;
for (const step of process.argv.includes("--no-tests") ? steps : [...steps, tests]) {
  const started = performance.now();
  const isTests = step === tests;
  const { status, stdout, stderr } = spawnSync(step.program, step.args, {
    cwd: root,
    encoding: "utf8",
    stdio: isTests ? "inherit" : "pipe",
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (status !== 0) {
    failed++;
    if (!isTests) process.stdout.write(`${stdout}${stderr}`);
  }
  console.log(`${status === 0 ? "ok  " : "FAIL"} ${step.name} (${seconds} s)`);
}
process.exitCode = failed === 0 ? 0 : 1;
