/** Messages of Codex's editor socket: each a JSON object after its length in four bytes, the smallest first. */
import { lstatSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { isRecord } from "../lib/is-record.ts";
import { parseJson } from "../lib/parse-json.ts";

export type Message = Readonly<Record<string, unknown>>;

/** Far above any open file's selection; Codex itself accepts 256 MiB. */
const maxFrame = 16 * 1024 * 1024;
const headBytes = 4;
const connectMs = 1000;

/** Where Codex's programs look for it, newest first: in the home, and in the temp folder as earlier versions did. */
export function codexSockets(codexHome: string): readonly string[] {
  const uid = process.getuid?.();
  if (uid === undefined) return [];
  return [path.join(codexHome, "ipc", "ipc.sock"), path.join(tmpdir(), "codex-ipc", `ipc-${uid}.sock`)];
}

/** Nobody else can have put a socket there, or replace it. */
export function isOwnSocket(file: string): boolean {
  const folder = lstatSync(path.dirname(file), { throwIfNoEntry: false });
  const socket = lstatSync(file, { throwIfNoEntry: false });
  const uid = process.getuid?.();
  if (folder === undefined || socket === undefined || !folder.isDirectory() || !socket.isSocket()) return false;
  return folder.uid === uid && socket.uid === uid && (folder.mode & 0o022) === 0;
}

/** Rejects if nobody listens. */
export function connectSocket(file: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = new Socket();
    socket.setTimeout(connectMs, () => socket.destroy(new Error(`no answer from ${file}`)));
    socket.once("error", reject);
    socket.connect(file, () => {
      socket.off("error", reject);
      socket.setTimeout(0);
      resolve(socket);
    });
  });
}

/** One connection. What is no message of this form ends it. */
export class Frames {
  readonly #socket: Socket;
  readonly #onMessage: (message: Message) => void;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(socket: Socket, onMessage: (message: Message) => void, onEnd: () => void) {
    this.#socket = socket;
    this.#onMessage = onMessage;
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("error", () => {}); // "close" follows
    socket.once("close", onEnd);
  }

  send(message: Message): void {
    // Whoever does not read would otherwise fill the memory.
    if (this.#socket.destroyed || this.#socket.writableLength > maxFrame) return void this.#socket.destroy();
    const body = Buffer.from(JSON.stringify(message));
    const head = Buffer.alloc(headBytes);
    head.writeUInt32LE(body.length);
    this.#socket.write(Buffer.concat([head, body]));
  }
  close(): void {
    this.#socket.end();
    this.#socket.destroySoon();
  }

  #take(chunk: Buffer): void {
    this.#parts.push(chunk);
    this.#size += chunk.length;
    for (let length = this.#nextLength(); length !== undefined && this.#size >= headBytes + length; length = this.#nextLength()) {
      const all = this.#joined();
      const message = parseJson(all.toString("utf8", headBytes, headBytes + length));
      const rest = all.subarray(headBytes + length);
      this.#parts = rest.length === 0 ? [] : [rest];
      this.#size = rest.length;
      if (!isRecord(message)) return void this.#socket.destroy();
      this.#onMessage(message);
    }
  }

  /** Undefined while it has not arrived. */
  #nextLength(): number | undefined {
    if (this.#size < headBytes || this.#socket.destroyed) return undefined;
    if ((this.#parts[0]?.length ?? 0) < headBytes) this.#joined();
    const length = this.#parts[0]?.readUInt32LE(0) ?? 0;
    if (length <= maxFrame) return length;
    this.#socket.destroy();
    return undefined;
  }
  #joined(): Buffer {
    const all = this.#parts.length === 1 ? (this.#parts[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#parts);
    this.#parts = [all];
    return all;
  }
}
