/**
 * The list of a process that starts sandboxes for the server: to fork a program of a few pages takes a tenth of a millisecond, to fork the
 * server several. It waits for orders, and each one makes a process with the descriptors that the order names, which then becomes the list
 * program as if the server had started it. It decides nothing and keeps nothing from one order to the next.
 */
import type { FilterArch } from "../seccomp.ts";
import { CallList, type Cell, Label, places } from "./call-list.ts";
import { dieWithParent } from "./command-calls.ts";
import { firstListDescriptor, lifeDescriptor, secondListDescriptor } from "./list-program.ts";

/** Where the starter reads its orders; its own list is at the same descriptor as those of others. */
export const ordersDescriptor = 4;
/** Of a sandbox whose input is open: where the other end of its input can be opened by the server until it has answered. */
export const inputDescriptor = 6;

/** Names of files in the starter's folder. */
export interface StartOrder {
  readonly life: string;
  readonly second: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly first: string;
  readonly hasInput: boolean;
  /** NAME=value: its only environment variable. */
  readonly mark: string;
}

const nameBytes = 48;
const markBytes = 256;
const at = { ended: [0, 8], kind: 16, life: 24, second: 72, stdout: 120, stderr: 168, first: 216, mark: 264 } as const;
const orderBytes = at.mark + markBytes;
const kinds = { reapOnly: 0, closedInput: 1, openInput: 2 };
/** How many ended processes one order can name. */
export const endedPerOrder = at.ended.length;

/** Undefined if a text is too long for it. `ended` are processes whose numbers may be used again. */
export function encodeOrder(ended: readonly number[], order?: StartOrder): Uint8Array | undefined {
  const bytes = Buffer.alloc(orderBytes);
  for (const [i, pid] of ended.slice(0, endedPerOrder).entries()) bytes.writeUInt32LE(pid, at.ended[i]);
  if (order === undefined) return bytes;
  bytes.writeUInt32LE(order.hasInput ? kinds.openInput : kinds.closedInput, at.kind);
  for (const field of ["life", "second", "stdout", "stderr", "first"] as const)
    if (bytes.write(order[field], at[field], nameBytes) >= nameBytes) return undefined;
  return bytes.write(order.mark, at.mark, markBytes) >= markBytes ? undefined : bytes;
}

const currentFolder = -100;
const lastDescriptor = 0xffff_ffff;
const childEnds = 17; // SIGCHLD
const whole = 0x100; // MSG_WAITALL
const writing = 1;

/** `program` is what each of its processes becomes: the file and its arguments. */
export function starterList(arch: FilterArch, program: readonly string[]): Uint8Array {
  const list = new CallList(arch, places.first);
  const [next, start, ended, inside] = [new Label(), new Label(), new Label(), new Label()];
  dieWithParent(list);
  list.close(firstListDescriptor);
  list.attempt("closeRange", ordersDescriptor + 1, lastDescriptor, 0);
  const own = list.attempt("getpid");
  const order = list.zeros(orderBytes);
  list.place(next);
  const count = list.branch({ negative: ended }, "recvfrom", [ordersDescriptor, order, orderBytes, whole, 0, 0]);
  list.branch({ negative: ended, positive: ended }, "subtract", [count, orderBytes]);
  for (const offset of at.ended) reap(list, { cell: order + offset });
  list.branch({ zero: next, positive: start }, "subtract", [{ cell: order + at.kind }, 0]);
  list.place(start);
  // If no process can be made, the server starts its sandboxes itself.
  list.branch({ zero: inside, positive: next }, "clone", [childEnds, 0, 0, 0, 0]);
  list.place(ended);
  list.exit(0);
  list.place(inside);
  becomeSandbox(list, { order, starter: own, program });
  return list.finish();
}

/** The number of a process is free for another one only when the server no longer uses it. */
function reap(list: CallList, pid: Cell): void {
  const none = new Label();
  list.branch({ zero: none }, "subtract", [pid, 0]);
  list.attempt("wait4", pid, 0, 0, 0);
  list.place(none);
}

interface Becoming {
  /** Its address. */
  readonly order: number;
  readonly starter: Cell;
  readonly program: readonly string[];
}

/** Each file opened gets the lowest free descriptor, which is that of the first list: it comes last. */
function becomeSandbox(list: CallList, { order, starter, program }: Becoming): void {
  const [there, closed] = [new Label(), new Label()];
  dieWithParent(list);
  // It may have ended before this process was bound to it.
  list.branch({ zero: there }, "subtract", [list.attempt("getppid"), starter]);
  list.exit(1);
  list.place(there);
  list.close(ordersDescriptor);
  const open = (field: "life" | "second" | "stdout" | "stderr" | "first", flags: number): Cell =>
    list.must(field, "openat", currentFolder, order + at[field], flags, 0);
  const put = (opened: Cell, descriptor: number): void => {
    list.must("descriptors", "dup3", opened, descriptor, 0);
    list.close(opened);
  };
  put(open("life", writing), lifeDescriptor);
  put(open("second", 0), secondListDescriptor);
  put(open("stdout", writing), 1);
  put(open("stderr", writing), 2);
  for (const field of ["life", "second", "stdout", "stderr"] as const) list.attempt("unlinkat", currentFolder, order + at[field], 0);
  list.must("setsid", "setsid");
  const pid = list.attempt("getpid");
  list.branch({ zero: closed }, "subtract", [{ cell: order + at.kind }, kinds.closedInput]);
  list.must("input", "pipe2", list.zeros(8), 0);
  put({ cell: list.values(firstListDescriptor) }, 0);
  open("first", 0);
  list.must("the server", "write", lifeDescriptor, pid.cell, 4);
  // The server opens the other end of the input, and says so with one byte.
  const opened = list.must("the server", "read", secondListDescriptor, list.zeros(8), 1);
  list.close(inputDescriptor);
  const go = new Label();
  list.branch({ positive: go }, "subtract", [opened, 0]);
  list.exit(0);
  list.place(closed);
  open("first", 0);
  list.must("the server", "write", lifeDescriptor, pid.cell, 4);
  list.place(go);
  list.must("/", "chdir", list.text("/"));
  list.must("the program", "execve", list.text(program[0] ?? ""), list.texts(program), list.values(order + at.mark, 0));
}
