/** Where the manager's threads live. Made by the command line, which knows both kinds. */
import type { Transport } from "../rpc/transport.ts";

/** An engine in this process or elsewhere. */
export interface Engine {
  /** A fresh connection, as a client's end. Rejects when the engine cannot be reached. */
  connect(signal: AbortSignal): Promise<Transport>;
  /** Serves a client that connected at `/rpc`. */
  serve(transport: Transport): Promise<void>;
  readonly remote: boolean;
  /** The folder in which new sessions start when none is named. */
  readonly cwd: string;
  /** What to do about it when no model is set up, so that the built-in tour answers; undefined when there is one, and for a remote engine. */
  whyNoModel(): string | undefined;
  /** Whether the engine has an account file and a key in its environment; unknown for a remote one. */
  credentials(): { readonly file: boolean; readonly key: boolean };
}
