/** HTTP headers that a user's own command prints as a JSON object: for gateways whose keys change. */
import { execFile } from "node:child_process";
import { isRecord } from "./is-record.ts";
import { parseJson } from "./parse-json.ts";

const timeoutMs = 10_000;
const maxBytes = 64 * 1024;

/** Runs the command in a shell. Rejects with a message for the person who wrote the settings; it never contains what the command printed. */
export async function headersFromCommand(command: string, signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
  signal.throwIfAborted();
  const [shell, flag] = process.platform === "win32" ? ["cmd.exe", "/c"] : ["/bin/sh", "-c"];
  const options = { timeout: timeoutMs, maxBuffer: maxBytes, killSignal: "SIGKILL", signal, windowsHide: true } as const;
  const output = await new Promise<string>((resolve, reject) => {
    execFile(shell, [flag, command], options, (error, stdout) => {
      if (signal.aborted) return reject(signal.reason);
      return error === null ? resolve(stdout) : reject(new Error(`http_headers_helper ${howItFailed(error)}`));
    });
  });
  return checked(parseJson(output));
}

function howItFailed({ code, killed }: Error & { code?: unknown; killed?: boolean }): string {
  if (code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return `printed more than ${maxBytes} bytes`;
  if (killed === true) return `took longer than ${timeoutMs / 1000} seconds`;
  return `ended with exit code ${String(code)}`;
}

function checked(value: unknown): Readonly<Record<string, string>> {
  if (!isRecord(value)) throw new Error('http_headers_helper printed no JSON object such as {"X-Key": "…"}');
  const headers: Record<string, string> = {};
  for (const [name, text] of Object.entries(value)) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) throw new Error("http_headers_helper printed a name that no header can have");
    if (typeof text !== "string" || /[^\x20-\x7e\t]/.test(text))
      throw new Error(`http_headers_helper: the value of ${name} is no text that a header can have`);
    headers[name] = text;
  }
  return headers;
}
