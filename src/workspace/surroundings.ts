/** What a thread can learn about its environment by only reading files. */
import { existsSync, readlinkSync } from "node:fs";
import { userInfo } from "node:os";
import path from "node:path";
import type { Config } from "../core/ports/config.ts";
import type { Git } from "../core/ports/git.ts";
import type { ProjectDoc, Surroundings } from "../core/ports/surroundings.ts";
import { isMissing, readBounded } from "../lib/bounded-read.ts";
import { errorMessage } from "../lib/error-text.ts";
import { findProgram, searchPathOf } from "../lib/program.ts";
import { isCode } from "../lib/system-error.ts";
import { fittedDataUrl, imageDataUrl } from "./images.ts";

export interface SurroundingsOptions {
  readonly codexHome: string;
  readonly git: Git;
}

const docName = "AGENTS.md";
/** Used instead of AGENTS.md if a folder has both. */
const overrideName = "AGENTS.override.md";
const maxPlaces = 1000;

export function createSurroundings({ codexHome, git }: SurroundingsOptions): Surroundings {
  let shell: ReturnType<typeof loginShell> | undefined;
  const programs = new Map<string, boolean>();
  /** Where instructions may be: every turn looks, and joining paths takes longer than the looks. */
  const places = new Map<string, readonly string[]>();
  const placesOf = (folder: string, names: readonly string[]): readonly string[] => {
    const key = `${folder}\n${names.join("\n")}`;
    const known = places.get(key);
    if (known !== undefined) return known;
    const found = names.map((name) => path.join(folder, name));
    if (places.size >= maxPlaces) places.clear();
    places.set(key, found);
    return found;
  };
  let zone: { readonly variable: string | undefined; readonly name: string } | undefined;
  /** The lookup runs in every turn; only the variable can change the result while the server runs. */
  const timezone = (): string => {
    const variable = process.env["TZ"];
    if (zone === undefined || zone.variable !== variable)
      zone = { variable, name: namedZone(variable) ?? Intl.DateTimeFormat().resolvedOptions().timeZone };
    return zone.name;
  };
  return {
    git: (cwd) => git.info(cwd),
    shell: () => (shell ??= loginShell()),
    timezone,
    hasProgram(name) {
      const known = programs.get(name) ?? findProgram(name, searchPathOf(process.env), codexHome) !== undefined;
      programs.set(name, known);
      return known;
    },
    imageDataUrl,
    fittedDataUrl,
    repositoryRoot: (cwd) => git.root(cwd),
    async projectDocs({ cwd, hasMachine }, config) {
      const docs: ProjectDoc[] = [];
      let left = config.projectDocMaxBytes;
      if (left <= 0) return docs;
      const names = [overrideName, docName, ...config.projectDocFallbackFilenames];
      for (const [folder, docNames] of [
        [codexHome, [overrideName, docName]] as const,
        ...(hasMachine === false ? [] : foldersDownTo(cwd, config)).map((f) => [f, names] as const),
      ]) {
        if (hasNone(placesOf(folder, docNames))) continue;
        const found = await docsIn(folder, docNames, left);
        docs.push(...found);
        left -= Buffer.byteLength(found.at(-1)?.text ?? "");
      }
      return docs;
    },
  };
}

/** The project's root first, `cwd` last. */
function foldersDownTo(cwd: string, config: Config): string[] {
  const folders = [cwd];
  for (let at = cwd; at !== config.projectRoot && path.dirname(at) !== at; ) {
    at = path.dirname(at);
    folders.unshift(at);
  }
  return folders[0] === config.projectRoot ? folders : [cwd];
}

/** The first that says something, after those that cannot be read. */
async function docsIn(folder: string, names: readonly string[], maxBytes: number): Promise<ProjectDoc[]> {
  const docs: ProjectDoc[] = [];
  for (const name of names) {
    const doc = await readDoc(path.join(folder, name), maxBytes);
    if (doc !== undefined) docs.push(doc);
    if (doc !== undefined && doc.text.trim() !== "") break;
  }
  return docs;
}

/** In most folders, and every turn asks. */
function hasNone(files: readonly string[]): boolean {
  try {
    return files.every(isMissing);
  } catch {
    return false; // whoever reads it reports why it cannot be read
  }
}

/** undefined when there is no such file, or nothing in it. */
async function readDoc(file: string, maxBytes: number): Promise<ProjectDoc | undefined> {
  const room = Math.max(0, maxBytes);
  try {
    if (isMissing(file)) return undefined;
    const bytes = await readBounded(file, room + 1, { beyond: "cut" });
    const text = bytes.subarray(0, room).toString("utf8");
    const leftOut = `${file} is read up to the limit of project_doc_max_bytes; the rest is left out`;
    if (bytes.length > room) return { path: file, text, leftOut };
    return text.trim() === "" ? undefined : { path: file, text };
  } catch (error) {
    if (isCode(error, "ENOENT", "ENOTDIR")) return undefined;
    return { path: file, text: "", leftOut: `instructions cannot be read: ${errorMessage(error)}` };
  }
}

/** The account's shell from the user database, never from PATH: a workspace on PATH could provide a fake one. */
function loginShell(): { name: string; path: string } {
  const found = [accountShell(), "/bin/bash", "/bin/sh"].find(
    (file): file is string => typeof file === "string" && /^\/(usr\/)?(local\/)?s?bin\/(ba|z|da|k|fi)?sh$/.test(file) && existsSync(file),
  );
  const file = found ?? "/bin/sh";
  return { name: path.basename(file), path: file };
}
function accountShell(): string | null {
  try {
    return userInfo().shell;
  } catch {
    return null; // an account without an entry
  }
}

/**
 * The time zone where its name is plain to see. Otherwise Intl knows it, whose first use takes forty milliseconds of a first turn and eight
 * megabytes.
 */
export function namedZone(variable: string | undefined, link = "/etc/localtime"): string | undefined {
  const name = variable?.replace(/^:/, "") || zoneOfLink(link);
  if (name === "UTC" || name === "Etc/UTC") return "UTC";
  const isPlace = /^(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)\/[A-Z][\w/+-]{1,40}$/;
  return name !== undefined && isPlace.test(name) ? name : undefined;
}

function zoneOfLink(link: string): string | undefined {
  try {
    return /\/zoneinfo(?:\.default)?\/([\w/+-]+)$/.exec(readlinkSync(link))?.[1];
  } catch {
    return undefined; // a copy, or another system
  }
}
