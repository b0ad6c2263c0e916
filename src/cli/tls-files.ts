/** The certificate and key of `--tls-cert` and `--tls-key`. */
import { readFileSync } from "node:fs";
import { errorMessage } from "../lib/error-text.ts";
import { hideSecretFile } from "./secret-file.ts";
import { StartError, UsageError } from "./usage.ts";

/** Undefined where neither was given. */
export async function tlsFrom(cert: string | undefined, key: string | undefined): Promise<{ cert: Buffer; key: Buffer } | undefined> {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) throw new UsageError("give `--tls-cert` and `--tls-key` together");
  try {
    const pair = { cert: readFileSync(cert), key: readFileSync(key) };
    hideSecretFile(key);
    (await import("node:tls")).createSecureContext(pair); // an invalid certificate, or the key of another one, is reported here
    return pair;
  } catch (error) {
    throw new StartError(`cannot use the certificate ${cert} with the key ${key}: ${errorMessage(error)}`);
  }
}
