/** Profiles that list hosts on Parley and on the real Codex 0.166, whose proxy is switched on: commands see the same network. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { test } from "node:test";
import { findSystemProgram } from "../../src/lib/program.ts";
import { responsesFrames } from "../support/model-mocks/frames.ts";
import { MockProvider, stream } from "../support/model-mocks/server.ts";
import { playOnBoth, type Side, skip } from "./side.ts";

/** Runs what the message says after RUN. */
const model = new MockProvider((response, request) => {
  const input = Array.isArray(request.body["input"]) ? request.body["input"] : [];
  const textOf = (item: { content?: { text?: string }[] }): string => item.content?.at(-1)?.text ?? "";
  const asked = input.findLastIndex((item) => textOf(item).startsWith("RUN "));
  const call = {
    id: `call_${input.length}`,
    name: "exec_command",
    args: JSON.stringify({ cmd: asked < 0 ? ":" : textOf(input[asked]).slice(4), yield_time_ms: 20_000 }),
  };
  const isDone = asked < 0 || input.slice(asked).some(({ type }) => String(type).endsWith("_output"));
  return stream(responsesFrames(isDone ? { text: "answered" } : { calls: [call] }))(response, request);
});
const site = createServer((request, response) => response.end(`site ${request.method} ${request.url}\n`));
let provider = "";
let port = 0;
test.before(async () => {
  provider = await model.listen();
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  port = (site.address() as AddressInfo).port;
});
test.after(async () => {
  site.closeAllConnections();
  site.close();
  await model[Symbol.asyncDispose]();
});

const profiles = `
[features]
network_proxy = true
[permissions.hosts]
extends = ":workspace"
[permissions.hosts.network]
enabled = true
[permissions.hosts.network.domains]
"127.0.0.1" = "allow"
"**.denied.example" = "deny"
[permissions.reading]
extends = "hosts"
[permissions.reading.network]
mode = "limited"
`;
const noCurl = findSystemProgram("curl") === undefined ? "needs curl" : false;

/** The command's output; Codex may stop a command at its first blocked request, so each has one. */
async function run(side: Side, permissions: string, line: string): Promise<string> {
  const { thread } = await side.call("thread/start", { cwd: path.join(side.folder, "ws"), permissions, approvalPolicy: "never" });
  const messages = await side.turn(thread.id, `RUN ${line}`);
  const ended = messages.find(({ method, params }) => method === "item/completed" && params.item.type === "commandExecution");
  return String(ended?.params.item.aggregatedOutput);
}

/**
 * What a blocked request is answered. Codex stops the command in the same moment, sometimes before it has printed the answer; what it does
 * print is still compared.
 */
const blockedBody = (host: string, reason: string, message: string): string =>
  JSON.stringify({
    ...{ status: "blocked", host, reason, decision: "deny", source: "baseline_policy", protocol: "http", port: 80 },
    message,
  });
const answers = {
  denied: blockedBody("sub.denied.example", "denied", "Domain denied by the sandbox policy."),
  local: blockedBody("10.1.2.3", "not_allowed_local", "Sandbox policy blocks local/private network addresses."),
};

const lines = (text: string, pattern: RegExp): string[] => text.match(pattern) ?? [];
const sentence = /Network access to .* was blocked: .*\./g;

test("a network of listed hosts: the same variables, answers and sentences", { skip: skip || noCurl, timeout: 300_000 }, async (t) => {
  const seen = await playOnBoth(
    { t, provider },
    async (side) => {
      const blocked = async (answer: string, line: string) => {
        const output = await run(side, "hosts", line);
        const printed = lines(output, /\{"status":"blocked".*?\}/g);
        return { answer: side.isCodex && printed.length === 0 ? [answer] : printed, sentences: lines(output, sentence) };
      };
      const variables = await run(side, "hosts", "env | grep -i '_proxy=\\|_proxy_active\\|local_binding\\|noproxy='");
      return {
        // Codex lets nothing past the proxy, not even the command's own servers; its ports are any.
        variables: variables
          .split("\n")
          .map((line) => line.replace(/:\d+$/, ":PORT").replace(/^(no_?proxy|.*_no_?proxy)=.*/i, "$1="))
          .sort(),
        allowed: await run(side, "hosts", `curl -sS -X POST http://127.0.0.1:${port}/a`),
        tunnelled: await run(side, "hosts", `curl -sS -p http://127.0.0.1:${port}/b`),
        socks: await run(side, "hosts", `curl -sS -x $ALL_PROXY http://127.0.0.1:${port}/c`),
        denied: await blocked(answers.denied, "curl -sS http://sub.denied.example./"),
        local: await blocked(answers.local, "curl -sS http://10.1.2.3/"),
        reading: await run(side, "reading", `curl -sS http://127.0.0.1:${port}/d`),
        writing: lines(await run(side, "reading", `curl -sS -X POST http://127.0.0.1:${port}/e`), sentence),
      };
    },
    (folder) => appendFileSync(path.join(folder, "home/config.toml"), profiles),
  );
  assert.match(seen.allowed, /site POST \/a/);
  assert.equal(seen.denied.sentences.length, 1);
});
