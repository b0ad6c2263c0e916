/** `parley manager link`: asks the manager that runs here for a fresh sign-in link. */
import { existsSync, readFileSync } from "node:fs";
import { StartError } from "./usage.ts";

export async function printLink({
  host,
  port,
  tokenFile,
  secure,
}: {
  host: string;
  port: number;
  tokenFile: string;
  secure: boolean;
}): Promise<number> {
  if (!existsSync(tokenFile)) throw new StartError(`no token in ${tokenFile}; start the manager first`);
  const shown = host.includes(":") ? `[${host}]` : host;
  const url = `${secure ? "https" : "http"}://${shown}:${port}/api/auth/links`;
  let response: Response;
  try {
    response = await fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${readFileSync(tokenFile, "utf8").trim()}`, "content-type": "application/json" },
      body: JSON.stringify({ scope: "admin" }),
      signal: AbortSignal.timeout(5000),
    });
  } catch {
    throw new StartError(`no manager answers at ${shown}:${port}; give its --listen address`);
  }
  const answer: unknown = await response.json().catch(() => null);
  const link = typeof answer === "object" && answer !== null && "url" in answer ? answer.url : undefined;
  if (!response.ok || typeof link !== "string") throw new StartError(`the manager refused: status ${response.status}`);
  process.stdout.write(`${link}\n`);
  return 0;
}
