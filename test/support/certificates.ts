/** A private certificate authority with a server certificate, generated on the spot by openssl. */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

export interface Certificates {
  /** The CA certificate file, for SSL_CERT_FILE and NODE_EXTRA_CA_CERTS. */
  readonly authority: string;
  readonly key: Buffer;
  readonly cert: Buffer;
}

/** Undefined if openssl is not installed. */
export function makeCertificates(folder: string, host: string): Certificates | undefined {
  const openssl = (...args: string[]): boolean => spawnSync("openssl", args, { cwd: folder }).status === 0;
  writeFileSync(path.join(folder, "names"), `subjectAltName=DNS:${host},DNS:localhost,IP:127.0.0.1\n`);
  const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const made =
    openssl("req", "-x509", ...ec, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Own authority", "-days", "2") &&
    openssl("req", ...ec, "-keyout", "server.key", "-out", "server.csr", "-subj", `/CN=${host}`) &&
    openssl(
      "x509",
      "-req",
      "-in",
      "server.csr",
      "-CA",
      "ca.pem",
      "-CAkey",
      "ca.key",
      "-CAcreateserial",
      "-out",
      "server.pem",
      "-days",
      "2",
      "-extfile",
      "names",
    );
  if (!made) return undefined;
  const read = (name: string): Buffer => readFileSync(path.join(folder, name));
  return { authority: path.join(folder, "ca.pem"), key: read("server.key"), cert: read("server.pem") };
}
