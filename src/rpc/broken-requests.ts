/** What is answered when a connection brings no proper HTTP request. */
import type { Server } from "node:http";
import type { Socket } from "node:net";

export type BrokenStatus = 400 | 408;

/**
 * Calls `refuse`, which must not throw, for what Node cannot read as a request. A connection that never sent a byte is closed in silence:
 * browsers open connections ahead of use, and would take whatever we say there for the answer to the request that they send next.
 */
export function onBrokenRequest(server: Server, refuse: (socket: Socket, status: BrokenStatus) => void): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    // never throws: it closes, or says a few fixed words
    const isSilent = (): boolean => !("bytesRead" in socket) || socket.bytesRead === 0;
    // What came while we were busy is read before this runs.
    if (isSilent()) return void setImmediate(() => isSilent() && socket.destroy());
    refuse(socket as Socket, error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400);
  });
}
