/** Attaches the picture in the clipboard: terminals paste only text, so the system's own tool is asked for it. */
import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { createFileSync } from "../../lib/durable-write.ts";
import { isCode } from "../../lib/system-error.ts";
import { attachImage } from "../compose/composer.ts";
import type { Shell } from "./shell.ts";

interface Tool {
  readonly program: string;
  readonly args: readonly string[];
  /** The package that has it. */
  readonly from: string;
}

const maxBytes = 20 * 1024 * 1024;
const timeoutMs = 10_000;
const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
/** Short: with the rest it must fit into one row of 80 columns. */
const otherWay = "paste or drop the picture's path";

export async function pasteImage(shell: Shell): Promise<void> {
  const tool = toolFor(process.platform, process.env);
  if (tool === undefined) return shell.store.setUi({ hint: `No clipboard can be reached from here; ${otherWay}` });
  const bytes = await readImage(tool);
  if (bytes === "missing") return shell.store.setUi({ hint: `${tool.program} (${tool.from}) is missing: ${otherWay}` });
  if (bytes === undefined) return shell.store.setUi({ hint: "There is no picture in the clipboard" });
  // A file, as for a picture that is pasted as a path: the session refers to it as long as it is there.
  const file = path.join(mkdtempSync(path.join(tmpdir(), "parley-picture-")), "clipboard.png");
  createFileSync(file, bytes, { mode: 0o600, sync: "none" });
  shell.store.setUi({ composer: attachImage(shell.store.ui.composer, file) });
}

/** Undefined where there is no desktop, such as over ssh. */
function toolFor(platform: string, env: Readonly<Record<string, string | undefined>>): Tool | undefined {
  if (platform === "darwin") return { program: "pngpaste", args: ["-"], from: "brew install pngpaste" };
  if (env["WAYLAND_DISPLAY"]) return { program: "wl-paste", args: ["--no-newline", "--type", "image/png"], from: "wl-clipboard" };
  if (env["DISPLAY"]) return { program: "xclip", args: ["-selection", "clipboard", "-t", "image/png", "-o"], from: "xclip" };
  return undefined;
}

async function readImage({ program, args }: Tool): Promise<Buffer | "missing" | undefined> {
  try {
    const { stdout } = await promisify(execFile)(program, args, { encoding: "buffer", maxBuffer: maxBytes, timeout: timeoutMs });
    return stdout.subarray(0, 4).equals(pngStart) ? stdout : undefined;
  } catch (error) {
    return isCode(error, "ENOENT") ? "missing" : undefined;
  }
}
