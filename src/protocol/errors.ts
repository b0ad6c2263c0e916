/** The only errors that may cross the wire; one constructor for each code in use. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
/** The request cannot be carried out. Codex also uses this code for unknown methods and params of the wrong type. */
export const invalidRequest = (message: string, data?: unknown): RpcError => new RpcError(-32600, message, data);
/** A client's answer to a request of the server that it does not know: another client of the thread may. */
export const methodNotFound = -32601;
/** A value of the right type that is out of bounds; Codex 0.166 uses it for a few limits only (over-long input, negative times). */
export const invalidParams = (message: string, data?: unknown): RpcError => new RpcError(-32602, message, data);
export const internalError = (message = "internal error"): RpcError => new RpcError(-32603, message);
/** The notice to clients about an internal failure outside of any request, which no response can report. */
export const troubleNotice =
  "An internal error was caught and the server goes on; what it belonged to may be incomplete. The log has the details.";
export const overloaded = (): RpcError => new RpcError(-32001, "Server overloaded; retry later.");
