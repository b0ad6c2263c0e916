/** The response to a connection that sends no valid HTTP request. */
import type { Server } from "node:http";
import type { Socket } from "node:net";

export type BrokenStatus = 400 | 408;

/**
 * Calls `refuse`, which must not throw, for data that Node cannot parse as a request. A connection that never sent a byte is closed without
 * a response: browsers open connections in advance, and would take any response for the one to their next request.
 */
export function onBrokenRequest(server: Server, refuse: (socket: Socket, status: BrokenStatus) => void): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    // never throws: it closes the socket or sends a short fixed text
    const isSilent = (): boolean => !("bytesRead" in socket) || socket.bytesRead === 0;
    // Data that arrived while the process was busy is read before this runs.
    if (isSilent()) return void setImmediate(() => isSilent() && socket.destroy());
    refuse(socket as Socket, error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400);
  });
}
