/** The calls that build what a command sees: from the plan's mounts to a root in which nothing is left as it is outside but what the plan leaves so. */

import type { Mount } from "../mounts.ts";
import type { FilterArch } from "../seccomp.ts";
import { type Argument, type CallList, type CallName, type Cell, Label } from "./call-list.ts";

const currentFolder = -100;
const closeOnExec = 0o2000000;
/** AT_RECURSIVE and AT_EMPTY_PATH. */
const recursive = 0x8000;
const ofItself = 0x1000;
/** Attributes of a mount: read-only, no set-user-ID programs, no devices, no programs. */
const readOnly = 1;
const noSetId = 2;
const plain = 2 | 4;
const noPrograms = 8;
const privateMounts = 1 << 18;
const attributesSize = 32;
/** MOVE_MOUNT_F_EMPTY_PATH and MOVE_MOUNT_T_EMPTY_PATH. */
const fromItself = 4;
const toItself = 0x40;
const notFound = -2;
const asksForTerminal = 0x5401;
/** O_DIRECTORY differs. */
const folderOnly = { x64: 0o200000, arm64: 0o40000 };

/** Opens a path with O_PATH without following links. If nothing exists there it goes on at `missing`; without that it is an error. */
export function find(list: CallList, path: string, missing?: Label, into = list.cell()): Cell {
  return findAt(list, { what: path, path: list.text(path) }, missing, into);
}

function findAt(list: CallList, { what, path }: { what: string; path: number }, missing: Label | undefined, into: Cell): Cell {
  const how = list.constants(0o10000000 | closeOnExec, 0, 4);
  return unlessMissing(list, { what, missing, into }, "openat2", currentFolder, path, how, 24);
}

interface MayMiss {
  readonly what: string;
  readonly missing: Label | undefined;
  readonly into?: Cell;
}

/** A call that must succeed, unless what it is for does not exist: then it goes on at `missing`. Without that, this is an error too. */
function unlessMissing(list: CallList, { what, missing, into }: MayMiss, name: CallName, ...args: readonly Argument[]): Cell {
  if (missing === undefined) return list.branch({ negative: list.failure(what) }, name, args, into);
  const done = new Label();
  const result = list.branch({ zero: done, positive: done }, name, args, into);
  const failed = list.failure(what);
  list.branch({ zero: missing, negative: failed, positive: failed }, "subtract", [result, notFound]);
  list.place(done);
  return result;
}

interface Source {
  readonly what: string;
  readonly attributes: number;
  readonly place: Cell;
  /** Where to go on if it does not exist. */
  readonly missing: Label | undefined;
}

export class MountCalls {
  readonly #list: CallList;
  readonly #arch: FilterArch;
  readonly #mounts: readonly Mount[];
  /** Folders in which missing mount points may be created, each with a slash at its end. */
  readonly #inMemory: readonly string[];
  /** What is mounted, by the mount's position in the plan or the device's name. 0 while an optional one is missing. */
  readonly #sources = new Map<number | string, Cell>();
  /** The empty folder that all placeholders show. */
  #empty: Cell | undefined;

  constructor(list: CallList, arch: FilterArch, mounts: readonly Mount[]) {
    this.#list = list;
    this.#arch = arch;
    this.#mounts = mounts;
    this.#inMemory = mounts.flatMap((mount) => (mount.kind === "memory" ? [mount.at === "/" ? "/" : `${mount.at}/`] : []));
  }

  add({ hasTerminal }: { readonly hasTerminal: boolean }): void {
    // What is mounted outside from now on must not appear inside.
    this.#setAll(this.#list.values(0, 0, privateMounts, 0));
    this.#cloneSources(hasTerminal);
    this.#makeRoot();
    for (const [i, mount] of this.#mounts.entries()) this.#attachOne(i, mount);
  }

  #setAll(attributes: number): void {
    const list = this.#list;
    list.must("mounts of its own", "mountSetattr", currentFolder, list.text("/"), recursive | ofItself, attributes, attributesSize);
  }

  /** Opens everything that will be visible inside while it can still be found. By path; links are not followed. */
  #cloneSources(hasTerminal: boolean): void {
    for (const [i, mount] of this.#mounts.entries()) {
      if (mount.kind === "bind" && i > 0)
        this.#take(i, mount.from ?? mount.at, plain | (mount.readOnly ? readOnly : 0), mount.optional === true);
      // The kernel makes a new one only while an older one can be seen.
      if (mount.kind === "processes") this.#sources.set(i, this.#newFileSystem("proc", {}, plain | noPrograms));
      if (mount.kind !== "devices") continue;
      for (const name of ["null", "zero", "full", "random", "urandom", "tty"]) this.#take(name, `/dev/${name}`, noSetId, true);
      if (hasTerminal) this.#takeTerminal();
    }
  }

  #take(key: number | string, path: string, attributes: number, isOptional: boolean): void {
    const missing = isOptional ? new Label() : undefined;
    this.#clone(key, { what: path, attributes, place: find(this.#list, path, missing), missing });
    if (missing !== undefined) this.#list.place(missing);
  }

  #clone(key: number | string, { what, attributes, place, missing }: Source): void {
    const list = this.#list;
    const empty = list.text("");
    const clone = list.cell();
    const gone = missing && new Label();
    const flags = 1 | closeOnExec | recursive | ofItself;
    const opened = unlessMissing(list, { what, missing: gone }, "openTree", place, empty, flags);
    list.branch({}, "subtract", [opened, 0], clone);
    list.must(what, "mountSetattr", clone, empty, recursive | ofItself, list.constants(attributes, 0, 0, 0), attributesSize);
    if (gone !== undefined) list.place(gone);
    list.close(place);
    this.#sources.set(key, clone);
  }

  /** The terminal that is the command's output, as /dev/console. */
  #takeTerminal(): void {
    const list = this.#list;
    const none = new Label();
    const room = 256;
    const name = list.zeros(room);
    list.branch({ negative: none }, "ioctl", [1, asksForTerminal, list.zeros(64)]);
    list.branch({ negative: none }, "readlinkat", [currentFolder, list.text("/proc/self/fd/1"), name, room - 1]);
    const what = "the terminal";
    this.#clone("console", { what, attributes: noSetId, place: findAt(list, { what, path: name }, none, list.cell()), missing: none });
    list.place(none);
  }

  /**
   * The first mount of every plan is the whole disk, or an empty one. All mounts are copies of this sandbox's own, so the disk stays where
   * it is and loses its rights there. For an empty one the old root is unmounted, for which the kernel waits until no processor looks at it.
   */
  #makeRoot(): void {
    const list = this.#list;
    const [disk] = this.#mounts;
    if (disk?.kind === "bind") return this.#setAll(list.constants(plain | (disk.readOnly ? readOnly : 0), 0, 0, 0));
    const root = this.#newFileSystem("tmpfs", { mode: "0755" }, plain);
    const here = list.text(".");
    list.must("the new root", "moveMount", root, list.text(""), currentFolder, list.text("/"), fromItself);
    list.must("the new root", "fchdir", root);
    list.must("the new root", "pivotRoot", here, here);
    list.must("the old root", "umount", here, 2);
    list.must("the new root", "chdir", list.text("/"));
  }

  #attachOne(i: number, mount: Mount): void {
    const list = this.#list;
    const { kind, at } = mount;
    const source = this.#sources.get(i);
    if (kind === "bind" && i > 0 && source !== undefined) {
      const isOptional = mount.optional === true;
      // On disk, what was there a moment ago is not made again: it would be left behind.
      this.#attach(source, at, { isOptional, isMade: !isOptional || this.#inMemory.some((folder) => at.startsWith(folder)) });
    }
    if (kind === "memory" && i > 0) this.#attach(this.#newFileSystem("tmpfs", { mode: "0755" }, plain), at);
    if (kind === "empty") this.#attachEmpty(at);
    if (kind === "processes" && source !== undefined) this.#attach(source, at);
    if (kind === "devices") this.#attachDevices(at);
    if (kind === "link") {
      this.#makeParents(at);
      list.must(at, "symlinkat", list.text(mount.to), currentFolder, list.text(at));
    }
    if (kind === "sealed") {
      const place = find(list, at);
      list.must(at, "mountSetattr", place, list.text(""), ofItself, list.constants(readOnly, 0, 0, 0), attributesSize);
      list.close(place);
    }
  }

  /** A placeholder is read-only for everybody, including its owner; all show the same file system. The kernel copies only what is attached. */
  #attachEmpty(at: string): void {
    const list = this.#list;
    if (this.#empty !== undefined)
      return this.#attach(list.must(at, "openTree", this.#empty, list.text(""), 1 | closeOnExec | ofItself), at);
    this.#empty = this.#newFileSystem("tmpfs", { mode: "0555" }, plain | readOnly);
    this.#attach(this.#empty, at, { isKept: true });
  }

  /** The same devices as bubblewrap creates, so that programs find the same in both. */
  #attachDevices(at: string): void {
    const list = this.#list;
    this.#attach(this.#newFileSystem("tmpfs", { mode: "0755" }, plain), at);
    for (const [name, source] of this.#sources) if (typeof name === "string") this.#attach(source, `${at}/${name}`, { isOptional: true });
    const links = { stdin: "/proc/self/fd/0", stdout: "/proc/self/fd/1", stderr: "/proc/self/fd/2", fd: "/proc/self/fd" };
    for (const [name, to] of Object.entries({ ...links, core: "/proc/kcore", ptmx: "pts/ptmx" }))
      list.must(at, "symlinkat", list.text(to), currentFolder, list.text(`${at}/${name}`));
    for (const name of ["shm", "pts"]) list.must(at, "mkdirat", currentFolder, list.text(`${at}/${name}`), 0o777);
    this.#attach(this.#newFileSystem("devpts", { ptmxmode: "0666", mode: "620" }, noSetId | noPrograms), `${at}/pts`);
  }

  /** A file system created for the sandbox. */
  #newFileSystem(type: string, options: Readonly<Record<string, string>>, attributes: number): Cell {
    const list = this.#list;
    const context = list.must(type, "fsopen", list.text(type), 1);
    for (const [name, value] of Object.entries(options)) list.must(type, "fsconfig", context, 1, list.text(name), list.text(value), 0);
    list.must(type, "fsconfig", context, 6, 0, 0, 0);
    const made = list.must(type, "fsmount", context, 1, attributes);
    list.close(context);
    return made;
  }

  /** A missing mount point is made only with `isMade`. With `isKept`, the mount's descriptor stays open. */
  #attach(mount: Cell, at: string, { isOptional = false, isMade = true, isKept = false } = {}): void {
    const list = this.#list;
    const [absent, found, nothing] = [new Label(), new Label(), new Label()];
    if (isOptional) list.branch({ zero: nothing }, "subtract", [mount, 0]);
    const place = find(list, at, isMade ? absent : nothing);
    list.goTo(found);
    list.place(absent);
    if (isMade) {
      this.#makePlace(mount, at);
      find(list, at, isOptional ? nothing : undefined, place);
    }
    list.place(found);
    const missing = isOptional ? nothing : undefined;
    unlessMissing(list, { what: at, missing }, "moveMount", mount, list.text(""), place, list.text(""), fromItself | toItself);
    list.close(place, ...(isKept ? [] : [mount]));
    list.place(nothing);
  }

  /**
   * Mount points are created only in new memory file systems; elsewhere they exist already, or the disk refuses. Whether it worked shows when
   * the place is looked for again: another server may have created the same one meanwhile.
   */
  #makePlace(mount: Cell, at: string): void {
    const list = this.#list;
    const [isFile, made] = [new Label(), new Label()];
    this.#makeParents(at);
    const path = list.text(at);
    const opened = list.branch({ negative: isFile }, "openat", [
      ...[mount, list.text("."), 0o10000000 | closeOnExec | folderOnly[this.#arch], 0],
    ]);
    list.close(opened);
    list.branch({ negative: made, zero: made, positive: made }, "mkdirat", [currentFolder, path, 0o777]);
    list.place(isFile);
    const file = list.branch({ negative: made }, "openat", [currentFolder, path, 0o101 | 0o200 | closeOnExec, 0o600]);
    list.close(file);
    list.place(made);
  }

  #makeParents(at: string): void {
    const above = this.#inMemory.filter((folder) => at.startsWith(folder)).sort((a, b) => b.length - a.length)[0];
    if (above === undefined) return;
    const list = this.#list;
    for (let end = at.indexOf("/", above.length); end > 0; end = at.indexOf("/", end + 1))
      list.attempt("mkdirat", currentFolder, list.text(at.slice(0, end)), 0o777);
  }
}
