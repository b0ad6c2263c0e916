/** Files that `parley manager` needs: its token, the built page, and a page that redirects the browser to the sign-in link. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import { createFileSync, replaceFileSync } from "../../lib/durable-write.ts";
import { errorMessage } from "../../lib/error-text.ts";
import { minTokenLength, readSecretFile } from "../secret-file.ts";
import { StartError } from "../usage.ts";

/** The token in the file; if missing, it is created, readable by its owner only. */
export function ownToken(file: string): string {
  try {
    if (!existsSync(file)) {
      createFileSync(file, `${randomBytes(32).toString("hex")}\n`);
    }
  } catch (error) {
    throw new StartError(`cannot use the token file ${file}: ${errorMessage(error)}`);
  }
  const token = readSecretFile(file);
  if (token.length >= minTokenLength) return token;
  throw new StartError(
    `the token in ${file} is too short: it needs at least ${minTokenLength} characters. Remove the file to get a new one`,
  );
}

/** Beside the bundle in a release, under dist/ in a checkout. */
export function findPage(here = import.meta.dirname): string {
  const places = [path.join(here, "web"), path.join(here, "..", "web"), path.join(here, "../../../dist/web")];
  return places.find((place) => existsSync(path.join(place, "index.html"))) ?? path.join(here, "web");
}

/** Other users of the machine can read command lines, so the link goes into a file that only its owner can read. */
export function openInBrowser(link: string, folder: string): void {
  const page = path.join(folder, "sign-in.html");
  replaceFileSync(page, `<!doctype html><meta http-equiv="refresh" content="0;url=${link}"><a href="${link}">Parley</a>\n`, {
    ...{ mode: 0o600, sync: "none" },
  });
  const program = process.platform === "darwin" ? "open" : process.platform === "win32" ? "explorer" : "xdg-open";
  const child = spawn(program, [page], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}
