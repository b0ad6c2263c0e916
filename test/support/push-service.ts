/** A push service on loopback, with browsers that subscribe to it and can read what arrives. */
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface Arrived {
  readonly headers: IncomingHttpHeaders;
  readonly payload: Record<string, unknown>;
}

export class PushService {
  readonly #server: Server;
  readonly #browsers = new Map<string, { readonly privateKey: Buffer; readonly auth: Buffer }>();
  readonly #waiting: ((arrived: Arrived) => void)[] = [];
  readonly #arrived: Arrived[] = [];
  /** What it answers; 201 is success. */
  status = 201;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<PushService> {
    const server = createServer();
    const service = new PushService(server);
    server.on("request", async (request, response) => {
      const body = Buffer.concat(await request.toArray());
      response.writeHead(service.status).end(service.status < 300 ? "" : "not today");
      if (service.status < 300) service.#receive({ headers: request.headers, payload: service.#read(request.url ?? "", body) });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return service;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** A new browser's subscription. */
  subscribe(): { endpoint: string; keys: { p256dh: string; auth: string } } {
    const pair = createECDH("prime256v1");
    pair.generateKeys();
    const auth = randomBytes(16);
    const name = `/send/${this.#browsers.size}`;
    this.#browsers.set(name, { privateKey: pair.getPrivateKey(), auth });
    return {
      endpoint: `http://${this.host}${name}`,
      keys: { p256dh: pair.getPublicKey("base64url"), auth: auth.toString("base64url") },
    };
  }

  /** The next message that arrives, or has arrived and was not read yet. */
  next(): Promise<Arrived> {
    const [ready] = this.#arrived.splice(0, 1);
    return ready === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(ready);
  }

  get unread(): number {
    return this.#arrived.length;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #receive(arrived: Arrived): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#arrived.push(arrived);
    else waiting(arrived);
  }

  /** Decrypts as a browser does (RFC 8188 and RFC 8291). */
  #read(name: string, body: Buffer): Record<string, unknown> {
    const browser = this.#browsers.get(name);
    if (browser === undefined) throw new Error(`nobody subscribed to ${name}`);
    const [salt, size] = [body.subarray(0, 16), body[20] ?? 0];
    const theirs = body.subarray(21, 21 + size);
    const own = createECDH("prime256v1");
    own.setPrivateKey(browser.privateKey);
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), own.getPublicKey(), theirs]);
    const secret = Buffer.from(hkdfSync("sha256", own.computeSecret(theirs), browser.auth, info, 32));
    const derive = (name: string, length: number): Buffer =>
      Buffer.from(hkdfSync("sha256", secret, salt, `Content-Encoding: ${name}\0`, length));
    const decipher = createDecipheriv("aes-128-gcm", derive("aes128gcm", 16), derive("nonce", 12));
    decipher.setAuthTag(body.subarray(-16));
    const plain = Buffer.concat([decipher.update(body.subarray(21 + size, -16)), decipher.final()]);
    return JSON.parse(plain.subarray(0, plain.lastIndexOf(2)).toString());
  }
}
