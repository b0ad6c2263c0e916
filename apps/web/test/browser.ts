/** Debian's Chromium for tests of the page. */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const path = process.env["PARLEY_CHROMIUM"] ?? "/usr/bin/chromium";

/** Undefined where there is no browser; the caller then says that it skips. */
export async function launch(): Promise<Browser | undefined> {
  if (!existsSync(path)) return undefined;
  return chromium.launch({
    executablePath: path,
    timeout: 120_000,
    args: [
      "--no-sandbox",
      "--headless",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
