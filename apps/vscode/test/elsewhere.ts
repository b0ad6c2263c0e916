/** Plays about the server: crashes, reloads of the window in the middle of a turn, and other clients of the same server. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { connectClient } from "../../../src/client/client.ts";
import type { Stage } from "./model.ts";
import type { Plays } from "./plays.ts";
import { eventually } from "./window.ts";

const root = path.resolve(import.meta.dirname, "../../..");

/** Ids of the processes that serve this stage, by their environment. */
function serversOf({ home }: Stage): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const isServer = readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("parley.cjs\0app-server");
        return isServer && readFileSync(`/proc/${pid}/environ`, "utf8").includes(`CODEX_HOME=${home}\0`);
      } catch {
        return false;
      }
    });
}

export const resilience: Plays = {
  async "the server is killed, comes back, and the session goes on"({ window, stage }) {
    await window.say("hello");
    await window.sees("Hello from the written model.");
    const [pid] = serversOf(stage);
    assert.ok(pid !== undefined, "no server runs");
    process.kill(pid, "SIGKILL");
    await eventually("another server", () => serversOf(stage).some((other) => other !== pid));
    await window.statusSays("Parley");
    await window.reply("run the tests");
    await (await window.card()).getByRole("button", { name: "Allow once" }).click();
    await window.sees(/The tests ran/);
    await window.shot("after-crash");
  },

  async "the window is reloaded in the middle of a turn: the session is back, the turn has ended with its server"({ window, stage }) {
    await window.say("take your time");
    await window.card();
    const before = serversOf(stage);
    await window.reload();
    await eventually("a new server alone", () => serversOf(stage).length === 1 && serversOf(stage)[0] !== before[0]);
    await window.sees("take your time");
    await window.noCard();
    await window.shot("after-reload-own-server");
    await window.reply("hello");
    await window.sees("Hello from the written model.");
  },
};

let server: { readonly child: ChildProcess; readonly url: string } | undefined;

/** One server for several clients. */
export const served = {
  async start({ home, project }: Stage): Promise<Readonly<Record<string, unknown>>> {
    const env = { ...process.env, CODEX_HOME: home };
    const child = spawn(path.join(root, "bin/parley"), ["app-server", "--listen", "ws://127.0.0.1:0"], {
      cwd: project,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const url = await new Promise<string>((resolve, reject) => {
      let text = "";
      const hear = (data: Buffer): void => {
        text += data.toString();
        const found = /ws:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
        if (found !== undefined && !found.endsWith(":0")) resolve(found);
      };
      child.stdout.on("data", hear);
      child.stderr.on("data", hear);
      child.on("exit", () => reject(new Error(`the server ended: ${text}`)));
    });
    server = { child, url };
    return { "parley.server.connect": url, "parley.approvals.display": "picker" };
  },
  async stop(): Promise<void> {
    const child = server?.child;
    if (child === undefined || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await gone;
  },
};

export const connected: Plays = {
  async "the window is reloaded in the middle of a turn: the turn goes on and its card is back"({ window, stage }) {
    await window.say("run the tests");
    await window.card();
    await window.reload();
    await window.title("Run this command outside the sandbox?");
    await window.card();
    await window.shot("after-reload");
    await window.pick("Allow once");
    await window.sees(/The tests ran/);
    assert.ok(existsSync(path.join(stage.project, "ran.txt")));
  },

  async "another client answers: the picker closes, the card goes, and both say who it was"({ window }) {
    await window.say("run the tests");
    await window.title("Run this command outside the sandbox?");
    await window.shot("command-picker");
    const threadId = await answerElsewhere();
    await window.quickInputGone();
    await window.noCard();
    await window.toasts.getByText("answered by desk_phone").first().waitFor();
    await window.sees(/by desk_phone/);
    await window.shot("answered-elsewhere");
    assert.ok(threadId);
  },
};

/** A second client joins the thread that waits and declines. */
async function answerElsewhere(): Promise<string> {
  assert.ok(server);
  using client = await connectClient(server.url, { clientInfo: { name: "desk_phone", version: "1" } });
  const answered = Promise.withResolvers<void>();
  client.answer("item/commandExecution/requestApproval", () => ({ decision: "decline" }));
  client.on("serverRequest/resolved", () => answered.resolve());
  const { data } = await client.call("thread/loaded/list", {});
  for (const threadId of data.toReversed()) {
    const { thread } = await client.call("thread/read", { threadId });
    if (thread.status.type !== "active") continue;
    await client.call("thread/resume", { threadId });
    await answered.promise;
    return threadId;
  }
  throw new Error("no thread waits");
}
