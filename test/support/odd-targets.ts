/** Request lines and headers that no browser would send, for every listener that strangers can reach. */
import { connect } from "node:net";

export const oddTargets: readonly string[] = [
  "//",
  "///",
  "//[",
  "//:99999",
  "//%",
  "/%",
  "/%E0%A4%A",
  "/\\",
  "/?",
  "/?%",
  "/?a=%E0%A4%A&a=%zz",
  "/#",
  "*",
  "http://[",
  "http://",
  "http://a:b@c:99999/",
  "javascript:alert(1)",
  "/api/stream?since=1e999",
  "/api/stream/%2e%2e",
  "//api/stream",
  "/api//stream",
  "/rpc/",
  "/\u00ff",
  `/${"a".repeat(8000)}`,
  `/?${"a=b&".repeat(2000)}`,
];

export const upgradeHeaders: readonly string[] = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];

/** Sends a request head verbatim, and returns everything received until the connection closed. */
export function rawAnswer(port: number, head: readonly string[], body = ""): Promise<string> {
  return received(port, head, body, () => false);
}

/** Only the status; 0 if the connection was closed without a response. */
export async function rawStatus(port: number, head: readonly string[], body = ""): Promise<number> {
  const text = await received(port, head, body, (text) => text.includes("\r\n\r\n"));
  return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0);
}

function received(port: number, head: readonly string[], body: string, isEnough: (text: string) => boolean): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(`${head.join("\r\n")}\r\n\r\n${body}`, "latin1"));
    socket.setTimeout(30_000, () => socket.destroy());
    socket.setEncoding("latin1").on("data", (data) => {
      text += data;
      if (isEnough(text)) socket.destroy();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(text));
  });
}
