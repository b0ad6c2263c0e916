/** A file of a session: read for people, and saved if nobody has changed it since. With the session's rights, not with the user's own. */
import { createHash } from "node:crypto";
import path from "node:path";
import { RpcError } from "../client/client.ts";
import { isInside } from "../lib/paths.ts";
import type { EngineLink } from "./link.ts";
import type { FilesystemSandbox } from "./records.ts";
import { isUnsupported } from "./refusals.ts";

export class FileRefused extends Error {
  readonly code: "outside" | "no_such_file" | "not_text" | "too_large" | "read_only" | "file_changed";
  readonly details: unknown;
  constructor(code: FileRefused["code"], message: string, details?: unknown) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

export interface SessionFile {
  readonly path: string;
  readonly text: string;
  readonly size: number;
  readonly version: string;
  readonly readOnly: string | null;
}
export interface FileOwner {
  readonly cwd: string;
  readonly sandbox: FilesystemSandbox;
}

/** A page that shows more would not help anybody. */
const maxBytes = 1_000_000;
const maxDepth = 100;
/** Commands in the sandbox cannot write these either: what is in them is run or read with more rights. */
const protectedNames = new Set([".git", ".codex", ".agents"]);

export async function readSessionFile(link: EngineLink, owner: FileOwner, wanted: string): Promise<SessionFile> {
  const file = await placeOf(link, owner, wanted);
  const bytes = await readBytes(link, file);
  if (bytes.length > maxBytes)
    throw new FileRefused("too_large", `${file} has ${bytes.length} bytes, more than the ${maxBytes} that are shown here.`);
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  if (text.includes("\0")) throw new FileRefused("not_text", `${file} is not a text file.`);
  const isExact = Buffer.from(text, "utf8").equals(bytes);
  const readOnly = isExact ? whyReadOnly(owner, file) : "It is not in UTF-8, and saving would change it.";
  return { path: file, text, size: bytes.length, version: versionOf(bytes), readOnly };
}

export async function saveSessionFile(
  link: EngineLink,
  owner: FileOwner,
  { path: wanted, text, version }: { readonly path: string; readonly text: string; readonly version: string },
): Promise<{ path: string; version: string }> {
  const now = await readSessionFile(link, owner, wanted);
  if (now.readOnly !== null) throw new FileRefused("read_only", now.readOnly);
  if (now.version !== version)
    throw new FileRefused("file_changed", `${now.path} has changed since you opened it.`, { text: now.text, version: now.version });
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length > maxBytes) throw new FileRefused("too_large", `The text has more than the ${maxBytes} bytes that can be saved here.`);
  await link.call("fs/writeFile", { path: now.path, dataBase64: bytes.toString("base64") });
  return { path: now.path, version: versionOf(bytes) };
}

const versionOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

function whyReadOnly({ cwd, sandbox }: FileOwner, file: string): string | null {
  if (sandbox === "read-only") return "This session may only read. Give it more permissions to edit here.";
  const isProtected = path
    .relative(cwd, file)
    .split(path.sep)
    .some((name) => protectedNames.has(name));
  return isProtected && sandbox !== "danger-full-access" ? "Sessions may not change this file." : null;
}

/** The file's absolute path. It has to be in the session's folder without a link on the way: a link could lead anywhere. */
async function placeOf(link: EngineLink, { cwd }: FileOwner, wanted: string): Promise<string> {
  const file = path.resolve(cwd, wanted);
  const names = path.relative(cwd, file).split(path.sep);
  if (wanted.includes("\0") || !isInside(file, cwd) || file === path.resolve(cwd) || names.length > maxDepth)
    throw new FileRefused("outside", `${wanted} is not in the session's folder ${cwd}.`);
  let at = cwd;
  for (const name of names) {
    at = path.join(at, name);
    const { isSymlink } = await found(file, link.call("fs/getMetadata", { path: at }));
    if (isSymlink) throw new FileRefused("outside", `${at} is a link, which is not followed here.`);
  }
  return file;
}

async function readBytes(link: EngineLink, file: string): Promise<Buffer> {
  return Buffer.from((await found(file, link.call("fs/readFile", { path: file }))).dataBase64, "base64");
}

/** The engine's refusals, in words for people. */
async function found<T>(file: string, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof RpcError) || isUnsupported(error)) throw error;
    if (/os error 2\b|os error 20\b|no such file|not a directory/i.test(error.message))
      throw new FileRefused("no_such_file", `There is no file ${file}.`);
    throw new FileRefused("not_text", error.message);
  }
}

export interface FoundFolders {
  readonly data: { readonly name: string; readonly path: string }[];
  /** Whether the path itself is a folder. */
  readonly isFolder: boolean;
  readonly truncated: boolean;
}

const mostFolders = 50;

/** Folders whose path begins like this. Hidden ones are offered once their dot is typed. */
export async function findFolders(link: EngineLink, typed: string): Promise<FoundFolders> {
  if (!path.isAbsolute(typed)) return { data: [], isFolder: false, truncated: false };
  const prefix = /[/\\]$/.test(typed) ? "" : path.basename(typed);
  const parent = prefix === "" ? typed : path.dirname(typed);
  const folders = await link.call("fs/readDirectory", { path: path.resolve(parent) }).then(
    ({ entries }) => entries.filter((entry) => entry.isDirectory),
    (error: unknown) => {
      if (error instanceof RpcError && !isUnsupported(error)) return undefined;
      throw error;
    },
  );
  if (folders === undefined) return { data: [], isFolder: false, truncated: false };
  const wanted = prefix.toLowerCase();
  const fits = folders.filter(({ fileName }) => fileName.toLowerCase().startsWith(wanted) && (wanted !== "" || !fileName.startsWith(".")));
  return {
    data: fits.slice(0, mostFolders).map(({ fileName }) => ({ name: fileName, path: path.join(parent, fileName) })),
    isFolder: prefix === "" || folders.some(({ fileName }) => fileName === prefix),
    truncated: fits.length > mostFolders,
  };
}
