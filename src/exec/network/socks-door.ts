/** The proxy for programs that speak SOCKS 5: connections by TCP, without a login, since only one command can reach it. */
import type { Socket } from "node:net";
import type { NetworkTarget } from "../../core/ports/network-access.ts";
import { canonicalHost } from "../../lib/host-pattern.ts";
import type { Refused } from "./gate.ts";
import { tunnel } from "./tunnel.ts";

const handshakeMs = 30_000;
const version = 5;
/** Replies of RFC 1928. */
const replies = { ok: 0, failed: 1, notAllowed: 2, unreachable: 4, noCommand: 7, noAddress: 8 };

export type Open = (target: NetworkTarget) => Promise<Socket | Refused>;

export async function serveSocks(socket: Socket, open: Open): Promise<void> {
  const input = new Input(socket);
  const timer = setTimeout(() => socket.destroy(), handshakeMs);
  const reply = (code: number): boolean => socket.write(Uint8Array.of(version, code, 0, 1, 0, 0, 0, 0, 0, 0));
  try {
    const [, methods = 0] = await input.take(2);
    const offered = await input.take(methods);
    if (!offered.includes(0)) {
      socket.end(Uint8Array.of(version, 0xff));
      return;
    }
    socket.write(Uint8Array.of(version, 0));
    const [asked, command = 0, , kind = 0] = await input.take(4);
    if (asked !== version) return void socket.destroy();
    const host = await hostIn(input, kind);
    const port = (await input.take(2)).readUInt16BE();
    clearTimeout(timer);
    if (command !== 1) return refuse(socket, reply, replies.noCommand);
    if (host === undefined || port === 0) return refuse(socket, reply, replies.noAddress);
    const opened = await open({ protocol: "socks5Tcp", host, port });
    if ("block" in opened) return refuse(socket, reply, opened.block === "failed" ? replies.unreachable : replies.notAllowed);
    if (socket.destroyed) return void opened.destroy();
    reply(replies.ok);
    tunnel(socket, opened);
  } catch {
    socket.destroy(); // It ended before it had said what it wants.
  } finally {
    clearTimeout(timer);
  }
}

function refuse(socket: Socket, reply: (code: number) => boolean, code: number): void {
  reply(code);
  socket.end();
}

async function hostIn(input: Input, kind: number): Promise<string | undefined> {
  if (kind === 1) return canonicalHost([...(await input.take(4))].join("."));
  if (kind === 3) return canonicalHost((await input.take((await input.take(1))[0] ?? 0)).toString("latin1"));
  if (kind !== 4) return undefined;
  const bytes = await input.take(16);
  return canonicalHost(Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i).toString(16)).join(":"));
}

/** Reads exactly as many bytes as asked for, and leaves the rest in the socket. */
class Input {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  async take(count: number): Promise<Buffer> {
    if (count === 0) return Buffer.alloc(0);
    for (;;) {
      const bytes: Buffer | null = this.#socket.read(count);
      if (bytes !== null && bytes.length === count) return bytes;
      if (bytes !== null || this.#socket.readableEnded || this.#socket.destroyed) throw new Error("the connection ended");
      await new Promise<void>((resolve, reject) => {
        const done = (): void => {
          for (const event of ["readable", "end", "close", "error"]) this.#socket.off(event, done);
          resolve();
        };
        if (this.#socket.destroyed) reject(new Error("the connection ended"));
        for (const event of ["readable", "end", "close", "error"]) this.#socket.on(event, done);
      });
    }
  }
}
