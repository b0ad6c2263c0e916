/** Secret files named on the command line: no command of any server with the same home can read them. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { noProtection } from "../src/exec/testing.ts";
import { makeCertificates } from "./support/certificates.ts";
import { endedWith } from "./support/ending.ts";
import { LiveServer, verifiesLive } from "./support/live-server.ts";
import { stage } from "./support/live-stage.ts";
import { launcher } from "./support/process.ts";

const secret = "31337".repeat(10);

/** What each kind of command can read of a file. */
async function readings(server: LiveServer, folder: string, file: string): Promise<string> {
  const policies = [
    { type: "readOnly", networkAccess: true },
    { type: "workspaceWrite", networkAccess: true },
  ];
  const seen = [];
  for (const sandboxPolicy of policies) {
    const { stdout, stderr } = await server.call("command/exec", {
      command: ["/bin/sh", "-c", `cat ${file} && echo READ; echo END`],
      ...{ cwd: path.join(folder, "workspace"), sandboxPolicy },
    });
    assert.match(stdout, /END/, stderr);
    seen.push(stdout);
  }
  return seen.join("");
}

async function startManager(t: TestContext, folder: string, flags: readonly string[]): Promise<void> {
  const env = { PATH: process.env["PATH"], HOME: folder, CODEX_HOME: path.join(folder, "home") };
  const args = ["manager", "--listen", "127.0.0.1:0", "--no-open", ...flags];
  const child = spawn(launcher, args, { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  endedWith(t, child);
  let text = "";
  for await (const chunk of child.stdout) {
    text += chunk;
    if (!text.includes("#sign-in=")) continue;
    child.stdout.resume();
    return;
  }
  throw new Error(`the manager ended: ${text}`);
}

if (noProtection) test("secret files", { skip: noProtection }, () => {});
else {
  verifiesLive(
    "trust.secretFiles",
    async (t) => {
      const folder = stage(t);
      const [token, named] = ["token", "named"].map((name) => path.join(folder, `${name}-folder`, name));
      assert.ok(token !== undefined && named !== undefined);
      for (const file of [token, named]) {
        mkdirSync(path.dirname(file));
        writeFileSync(file, secret, { mode: 0o600 });
      }
      const flags = [
        ...["--listen", "stdio://", "--listen", "ws://127.0.0.1:0", "--ws-auth", "capability-token", "--ws-token-file", token],
        ...["-c", `model_providers.other={name="x",base_url="http://127.0.0.1:1",credential_file="${named}"}`],
      ];
      const server = await LiveServer.start(t, folder, { flags });
      for (const file of [token, named]) assert.equal(await readings(server, folder, file), "END\nEND\n", file);
      await server.kill(); // its other listener would wait for clients
    },
    { detail: "the listener's token, and what settings name" },
  );

  verifiesLive(
    "trust.secretFiles",
    async (t) => {
      const folder = stage(t);
      const certificates = makeCertificates(folder, "parley.test");
      const token = path.join(folder, "manager-token");
      const tls = certificates === undefined ? [] : ["--tls-cert", "server.pem", "--tls-key", "server.key"];
      await startManager(t, folder, ["--token-file", "manager-token", ...tls]);
      const server = await LiveServer.start(t, folder);
      const files = [token, ...(certificates === undefined ? [] : [path.join(folder, "server.key")])];
      for (const file of files) assert.equal(await readings(server, folder, file), "END\nEND\n", file);
      await server.stop();
    },
    { detail: "the manager's token and key, for a server beside it" },
  );
}
