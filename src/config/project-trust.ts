/** What the user has accepted of each trusted project, in one small file per project under the home. Implements the ProjectTrust port. */
import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import path from "node:path";
import type { Digests, ProjectPart, ProjectTrust } from "../core/ports/project-trust.ts";
import { readBoundedTextSync } from "../lib/bounded-read.ts";
import { replaceFileSync } from "../lib/durable-write.ts";
import { array, named, object, parse, record, string } from "../lib/schema.ts";
import { shortDigest } from "../lib/short-digest.ts";
import { isCode } from "../lib/system-error.ts";

const Kept = named("ProjectTrustRecord", () => object({ folder: string(), seen: array(string()), accepted: record(string()) }));
interface Kept {
  readonly folder: string;
  /** The parts whose initial content was recorded. */
  readonly seen: readonly string[];
  readonly accepted: Digests;
}
/** The older record, which covers servers only. */
const OldServers = named("McpAccepted", () => object({ folder: string(), servers: record(string()) }));

const maxBytes = 4 * 1024 * 1024;
const maxFiles = 1000;

export const digestOf = (text: string): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;

/** One file per project, so that processes with different projects never write the same one. */
export function createProjectTrust(codexHome: string): ProjectTrust {
  return new TrustFiles(path.join(codexHome, "parley"));
}

class TrustFiles implements ProjectTrust {
  readonly #folder: string;
  readonly #read = new Map<string, { readonly stamp: string; readonly kept: Kept }>();
  /** The repositories' files: every turn asks, settings are read many times in a start, and each digest takes a tenth of a millisecond then. */
  readonly #files = new Map<string, string>();
  /** Where the home cannot be written, the initial record lasts as long as this process. */
  readonly #unwritten = new Map<string, Kept>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  accepted(repository: string): Digests {
    return this.#kept(repository).accepted;
  }

  accept(repository: string, digests: Digests): void {
    const kept = this.#kept(repository);
    this.#write({ ...kept, accepted: { ...kept.accepted, ...digests } });
  }

  firstLook(repository: string, part: ProjectPart, digests: () => Digests): void {
    const kept = this.#kept(repository);
    if (kept.seen.includes(part)) return;
    const next: Kept = { ...kept, seen: [...kept.seen, part], accepted: { ...kept.accepted, ...digests() } };
    try {
      // A start waits for this. A power cut may cost the record: the next look is then the first one, or accepts nothing where it is damaged.
      this.#write(next, "soon");
    } catch {
      this.#unwritten.set(repository, next);
    }
  }

  #kept(repository: string): Kept {
    const held = this.#unwritten.get(repository);
    if (held !== undefined) return held;
    const file = this.#fileOf("trust", repository);
    const stamp = stampOf(file);
    const known = this.#read.get(repository);
    if (known?.stamp === stamp) return known.kept;
    const kept = this.#load(file, repository);
    this.#read.set(repository, { stamp, kept });
    return kept;
  }

  #load(file: string, repository: string): Kept {
    try {
      const found = parse(Kept, JSON.parse(readBoundedTextSync(file, maxBytes)));
      return found?.folder === repository ? found : nothingIn(repository);
    } catch (error) {
      return isMissing(error) ? this.#older(repository) : nothingIn(repository);
    }
  }

  /** What an earlier version recorded of the servers still counts; everything else is recorded now for the first time. */
  #older(repository: string): Kept {
    const empty: Kept = { folder: repository, seen: [], accepted: {} };
    try {
      const found = parse(OldServers, JSON.parse(readBoundedTextSync(this.#fileOf("mcp-accepted", repository), maxBytes)));
      if (found?.folder !== repository) return { ...empty, seen: ["mcp_servers"] };
      const servers = Object.entries(found.servers).map(([name, digest]) => [`mcp_servers.${name}`, digest]);
      return { ...empty, seen: ["mcp_servers"], accepted: Object.fromEntries(servers) };
    } catch (error) {
      return isMissing(error) ? empty : { ...empty, seen: ["mcp_servers"] };
    }
  }

  #write(kept: Kept, sync: "disk" | "soon" = "disk"): void {
    const file = this.#fileOf("trust", kept.folder);
    replaceFileSync(file, `${JSON.stringify(kept, undefined, 2)}\n`, { sync });
    this.#unwritten.delete(kept.folder);
    this.#read.set(kept.folder, { stamp: stampOf(file), kept });
  }

  #fileOf(kind: "trust" | "mcp-accepted", repository: string): string {
    const known = this.#files.get(`${kind} ${repository}`);
    if (known !== undefined) return known;
    const file = path.join(this.#folder, kind, `${shortDigest(repository).slice(0, 32)}.json`);
    if (this.#files.size >= maxFiles) this.#files.clear();
    this.#files.set(`${kind} ${repository}`, file);
    return file;
  }
}

const isMissing = (error: unknown): boolean => isCode(error, "ENOENT") || isCode(error, "ENOTDIR");

/** An unreadable record accepts nothing, and no new initial record is made. */
const nothingIn = (folder: string): Kept => ({ folder, seen: ["settings", "mcp_servers", "skills", "plugin"], accepted: {} });

function stampOf(file: string): string {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? "" : `${found.mtimeNs}:${found.ctimeNs}:${found.size}:${found.ino}`;
  } catch {
    return ""; // reading it reports what is wrong
  }
}
