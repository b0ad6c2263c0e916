/** Builds the manager's page (apps/web) into dist/web, when it is older than its sources. */
import { existsSync, globSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "..");
export const pageFolder = path.join(root, "dist/web");
const target = pageFolder;
const stamp = path.join(target, "index.html");

async function buildPage(): Promise<void> {
  const { build } = await import("vite");
  const next = path.join(root, `dist/.web-${process.pid}`);
  mkdirSync(path.dirname(next), { recursive: true });
  try {
    await build({ configFile: path.join(root, "apps/web/vite.config.ts"), logLevel: "warn", build: { outDir: next } });
    rmSync(target, { recursive: true, force: true });
    renameSync(next, target);
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
}

export async function buildPageIfOld(): Promise<void> {
  const built = existsSync(stamp) ? statSync(stamp).mtimeMs : 0;
  const sources = globSync(["apps/web/{src,public}/**/*", "apps/web/{index.html,vite.config.ts}", "package-lock.json"], { cwd: root });
  if (sources.some((file) => statSync(path.join(root, file)).mtimeMs > built)) await buildPage();
}

if (import.meta.main) await buildPage();
