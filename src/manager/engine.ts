/** The engine that runs the manager's threads. Created by the command line, which knows both kinds. */
import type { Transport } from "../rpc/transport.ts";

/** An engine in this process or elsewhere. */
export interface Engine {
  /** Opens a new client connection. Rejects if the engine cannot be reached. */
  connect(signal: AbortSignal): Promise<Transport>;
  /** Serves a client that connected at `/rpc`. */
  serve(transport: Transport): Promise<void>;
  readonly remote: boolean;
  /** The folder for new sessions that do not name one. */
  readonly cwd: string;
  /** If no model is configured and the built-in tour answers: how to fix it; undefined if there is a model, and for a remote engine. */
  whyNoModel(): string | undefined;
  /** Whether the engine has an account file and a key in its environment; unknown for a remote engine. */
  credentials(): { readonly file: boolean; readonly key: boolean };
}
