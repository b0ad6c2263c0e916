/** Reads a git index of version 2 or 3 in place: which paths are tracked, with which blob, for code that looks up few among very many. */

export interface IndexEntry {
  /** Of the file's content as git would store it. */
  readonly oid: string;
  readonly kind: "file" | "link" | "submodule";
  readonly isExecutable: boolean;
  /** Of the file in the working tree when git last compared it; 0 if git must compare it again. */
  readonly size: number;
  readonly mtimeMs: number;
  /** Not in the working tree, because only a part of the repository is checked out. */
  readonly isLeftOut: boolean;
  /** git was told not to compare it. */
  readonly isAssumed: boolean;
}

/** Bytes of an entry before the object's name: two timestamps, device, inode, mode, owner, group and size. */
const statBytes = 40;
const assumedFlag = 0x8000;
const extendedFlag = 0x4000;
const stageMask = 0x3000;
const nameMask = 0x0fff;
const leftOutFlag = 0x4000;

/** The name of an empty file's blob, by the length of names. */
const emptyBlobs: Readonly<Record<number, string>> = {
  20: "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
  32: "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
};

export class GitIndex {
  readonly #bytes: Buffer;
  readonly #starts: Uint32Array;
  readonly #oidBytes: number;

  private constructor(bytes: Buffer, starts: Uint32Array, oidBytes: number) {
    this.#bytes = bytes;
    this.#starts = starts;
    this.#oidBytes = oidBytes;
  }

  /** Undefined if the bytes are not such an index. */
  static parse(bytes: Buffer, isSha256: boolean): GitIndex | undefined {
    const oidBytes = isSha256 ? 32 : 20;
    if (bytes.length < 12 || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined;
    const [version, count] = [bytes.readUInt32BE(4), bytes.readUInt32BE(8)];
    if ((version !== 2 && version !== 3) || count > bytes.length / (statBytes + oidBytes)) return undefined;
    const starts = new Uint32Array(count);
    let at = 12;
    for (let i = 0; i < count; i++) {
      starts[i] = at;
      const end = nameEnd(bytes, at + statBytes + oidBytes);
      if (end < 0) return undefined;
      // Entries are padded with one to eight NULs.
      at += (end - at + 8) & ~7;
    }
    return at > bytes.length || isPartial(bytes, at, oidBytes) ? undefined : new GitIndex(bytes, starts, oidBytes);
  }

  static readonly empty = new GitIndex(Buffer.alloc(0), new Uint32Array(0), 20);

  /** Whether some path has this name in it. May be wrong in the affirmative. */
  mentions(name: string): boolean {
    return this.#bytes.includes(name, 0, "latin1");
  }

  get count(): number {
    return this.#starts.length;
  }

  /** The entry of a path relative to the repository, with `/`. Undefined also for a path in conflict, of which there are several versions. */
  find(name: string): IndexEntry | undefined {
    const wanted = Buffer.from(name);
    const place = this.#firstFrom(wanted);
    if (place >= this.count || Buffer.compare(this.#nameAt(place), wanted) !== 0) return undefined;
    return this.#isMerged(place) ? this.entryAt(place) : undefined;
  }

  /** Whether something below the folder is tracked. */
  hasFolder(name: string): boolean {
    const prefix = Buffer.from(`${name}/`);
    const place = this.#firstFrom(prefix);
    return place < this.count && this.#nameAt(place).subarray(0, prefix.length).equals(prefix);
  }

  /** The places of all entries below a folder; "" is the whole repository. */
  below(name: string): readonly [from: number, to: number] {
    if (name === "") return [0, this.count];
    return [this.#firstFrom(Buffer.from(`${name}/`)), this.#firstFrom(Buffer.from(`${name}0`))]; // "0" follows "/"
  }

  /** The paths that only one of the two has, or with another blob, kind or mode. */
  *differencesFrom(older: GitIndex): Generator<string> {
    let [here, there] = [0, 0];
    while (here < this.count || there < older.count) {
      const [own, other] = [this.#nameAt(here), older.#nameAt(there)];
      const order = here >= this.count ? 1 : there >= older.count ? -1 : Buffer.compare(own, other);
      if (order !== 0 || !this.#stored(here).equals(older.#stored(there))) yield (order <= 0 ? own : other).toString("utf8");
      if (order <= 0) here++;
      if (order >= 0) there++;
    }
  }

  /** Mode and name of the object. */
  #stored(place: number): Buffer {
    const at = this.#starts[place] ?? 0;
    const oid = this.#bytes.subarray(at + statBytes, at + statBytes + this.#oidBytes);
    return Buffer.concat([this.#bytes.subarray(at + 24, at + 28), oid]);
  }

  pathAt(place: number): string {
    return this.#nameAt(place).toString("utf8");
  }

  entryAt(place: number): IndexEntry {
    const at = this.#starts[place] ?? 0;
    const mode = this.#bytes.readUInt32BE(at + 24);
    const flags = this.#flagsAt(at);
    const more = (flags & extendedFlag) === 0 ? 0 : this.#bytes.readUInt16BE(at + statBytes + this.#oidBytes + 2);
    return {
      oid: this.#bytes.toString("hex", at + statBytes, at + statBytes + this.#oidBytes),
      kind: (mode & 0o170000) === 0o120000 ? "link" : (mode & 0o170000) === 0o160000 ? "submodule" : "file",
      isExecutable: (mode & 0o100) !== 0,
      size: this.#bytes.readUInt32BE(at + 36),
      mtimeMs: this.#bytes.readUInt32BE(at + 8) * 1000 + Math.floor(this.#bytes.readUInt32BE(at + 12) / 1e6),
      isLeftOut: (more & leftOutFlag) !== 0,
      isAssumed: (flags & assumedFlag) !== 0,
    };
  }

  /**
   * Entries whose blob need not be what the file holds: git was told not to compare it, or must compare it again because it changed in the
   * moment in which the index was written, or it is not checked out.
   */
  *unsure(): Generator<{ readonly path: string; readonly entry: IndexEntry }> {
    for (let place = 0; place < this.count; place++) {
      const at = this.#starts[place] ?? 0;
      if (this.#bytes.readUInt32BE(at + 36) !== 0 && (this.#flagsAt(at) & (assumedFlag | extendedFlag)) === 0) continue;
      const entry = this.entryAt(place);
      if (entry.oid === emptyBlobs[this.#oidBytes] && !entry.isAssumed && !entry.isLeftOut) continue;
      if (this.#isMerged(place) && entry.kind !== "submodule") yield { path: this.pathAt(place), entry };
    }
  }

  #isMerged(place: number): boolean {
    return (this.#flagsAt(this.#starts[place] ?? 0) & stageMask) === 0;
  }

  #flagsAt(at: number): number {
    return this.#bytes.readUInt16BE(at + statBytes + this.#oidBytes);
  }

  #nameAt(place: number): Buffer {
    const start = this.#starts[place];
    if (start === undefined) return Buffer.alloc(0);
    const flagsAt = start + statBytes + this.#oidBytes;
    return this.#bytes.subarray(nameStart(this.#flagsAt(start), flagsAt), nameEnd(this.#bytes, flagsAt));
  }

  /** The first place whose name is not before the given one: git sorts names by their bytes. */
  #firstFrom(name: Buffer): number {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (Buffer.compare(this.#nameAt(middle), name) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Whether the entries are only a part: the others are in a shared index, or folders stand for them. The rest is a list of extensions. */
function isPartial(bytes: Buffer, from: number, oidBytes: number): boolean {
  for (let at = from; at + 8 <= bytes.length - oidBytes; at += 8 + bytes.readUInt32BE(at + 4))
    if (/^(?:link|sdir)$/.test(bytes.toString("latin1", at, at + 4))) return true;
  return false;
}

/** Where the name ends whose length is in the flags; negative if there is none. */
function nameEnd(bytes: Buffer, flagsAt: number): number {
  if (flagsAt + 4 > bytes.length) return -1;
  const flags = (bytes[flagsAt] ?? 0) * 256 + (bytes[flagsAt + 1] ?? 0);
  const from = nameStart(flags, flagsAt);
  const length = flags & nameMask;
  // Longer names are only ended by their NUL.
  const end = length < nameMask ? from + length : bytes.indexOf(0, from);
  return end < from || end >= bytes.length ? -1 : end;
}

const nameStart = (flags: number, flagsAt: number): number => flagsAt + ((flags & extendedFlag) === 0 ? 2 : 4);
