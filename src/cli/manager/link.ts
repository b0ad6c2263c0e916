/** `parley manager link`: requests a new sign-in link from the manager that runs here. */
import { existsSync, readFileSync } from "node:fs";
import type { RequestOptions } from "node:https";
import { StartError, toStdout } from "../usage.ts";

export interface LinkOptions {
  readonly host: string;
  readonly port: number;
  readonly tokenFile: string;
  /** The manager's own certificate file, when it serves TLS. */
  readonly cert: string | undefined;
}

export async function printLink({ host, port, tokenFile, cert }: LinkOptions): Promise<number> {
  if (!existsSync(tokenFile)) throw new StartError(`no token in ${tokenFile}; start the manager first`);
  const shown = host.includes(":") ? `[${host}]` : host;
  const token = readFileSync(tokenFile, "utf8").trim();
  let response: Awaited<ReturnType<typeof post>>;
  try {
    response = await post(`${cert === undefined ? "http" : "https"}://${shown}:${port}/api/auth/links`, token, cert);
  } catch {
    throw new StartError(
      `no manager answers at ${shown}:${port}; give its --listen address${cert === undefined ? "" : " and its --tls-cert"}`,
    );
  }
  const { answer, status } = response;
  const link = typeof answer === "object" && answer !== null && "url" in answer ? answer.url : undefined;
  if (status !== 200 || typeof link !== "string") throw new StartError(`the manager refused: status ${status}`);
  toStdout(`${link}\n`);
  return 0;
}

/** Over TLS only the file's certificate is trusted, whatever its issuer and host name: it is the manager's own. */
async function post(url: string, token: string, cert: string | undefined): Promise<{ status: number; answer: unknown }> {
  const { request } = cert === undefined ? await import("node:http") : await import("node:https");
  const trust: RequestOptions =
    cert === undefined ? {} : { ca: readFileSync(cert), allowPartialTrustChain: true, checkServerIdentity: () => undefined };
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return await new Promise((resolve, reject) => {
    const call = request(url, { method: "POST", headers, signal: AbortSignal.timeout(5000), ...trust }, async (response) => {
      const text = (await response.toArray().catch(() => [])).join("");
      resolve({ status: response.statusCode ?? 0, answer: text.startsWith("{") ? JSON.parse(text) : null });
    });
    call.on("error", reject).end(JSON.stringify({ scope: "admin" }));
  });
}
