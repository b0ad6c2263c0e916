/** For `parley doctor`: whether the home folder is writable, owned by the user, and has space. */
import { mkdir, rm, stat, statfs, writeFile } from "node:fs/promises";
import path from "node:path";
import { errorMessage } from "../../lib/error-text.ts";
import type { App } from "../own-app.ts";
import type { Finding } from "./doctor.ts";

const name = "home";
/** Below the first a long session may fill the disk; below the second nothing can be stored. */
const littleSpace = 500 * 1024 * 1024;
const noSpace = 20 * 1024 * 1024;

export async function checkHome({ codexHome }: Pick<App, "codexHome">): Promise<Finding[]> {
  const probe = path.join(codexHome, `.doctor-${process.pid}`);
  try {
    await mkdir(codexHome, { recursive: true, mode: 0o700 });
    await writeFile(probe, "doctor", { mode: 0o600 });
    return [{ name, state: "ok", text: `${codexHome} can be written` }, ...(await checkOwner(codexHome)), ...(await checkSpace(codexHome))];
  } catch (error) {
    const fix = `make ${codexHome} writable, or set CODEX_HOME to a folder that is`;
    return [{ name, state: "fail", text: errorMessage(error), fix }, ...(await checkSpace(codexHome).catch(() => []))];
  } finally {
    await rm(probe, { force: true });
  }
}

/** It contains keys and threads: nobody else may own or change it. */
async function checkOwner(folder: string): Promise<Finding[]> {
  const { uid, mode } = await stat(folder);
  const own = process.getuid?.();
  if (own !== undefined && uid !== own)
    return [
      { name, state: "warn", text: `${folder} belongs to another user (${uid})`, fix: `chown -R ${own} '${folder}', or set CODEX_HOME` },
    ];
  if ((mode & 0o022) === 0) return [];
  return [{ name, state: "warn", text: `${folder} can be changed by other users`, fix: `chmod go-w '${folder}'` }];
}

async function checkSpace(folder: string): Promise<Finding[]> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const text = `${Math.round(free / 1024 / 1024).toLocaleString("en")} MB are free in ${folder}`;
  if (free >= littleSpace) return [{ name: "space", state: "ok", text }];
  return [
    { name: "space", state: free < noSpace ? "fail" : "warn", text, fix: "make room on the disk, or set CODEX_HOME to a folder with more" },
  ];
}
