import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Command, CommandRefused, type CommandRunner, type Confinement, type RunningCommand } from "../core/ports/command-runner.ts";
import { RpcError } from "../protocol/errors.ts";
import type { Outcome } from "../rpc/peer.ts";
import type { Session } from "./app.ts";
import { ClientTerminal } from "./client-terminal.ts";
import { type AskClient, withClientTerminals } from "./client-terminals.ts";
import { TerminalText } from "./terminal-text.ts";

const never = new Promise<Outcome | undefined>(() => {});
const result = (value: unknown): Promise<Outcome> => Promise.resolve({ result: value });
const refusal = (): Promise<Outcome> => Promise.resolve({ error: new RpcError(-32603, "no") });
const going = new AbortController().signal;

/** A client whose answers are given by method; what it was asked is in `asked`. */
function client(answers: Readonly<Record<string, (params: object) => Promise<Outcome | undefined>>>): { ask: AskClient; asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    ask: (method, params) => {
      asked.push(method.replace("terminal/", ""));
      return answers[method]?.(params) ?? result({});
    },
  };
}

async function ending(ask: AskClient, options: { timeoutMs?: number; signal?: AbortSignal; answerMs?: number } = {}) {
  const terminal = new ClientTerminal(ask, "t", { signal: going, ...options });
  let output = "";
  terminal.onOutput = (chunk) => {
    output += Buffer.from(chunk).toString("utf8");
  };
  const { durationMs: _, ...exit } = await terminal.exit;
  return { ...exit, output };
}

describe("a command in a client's terminal", () => {
  it("ends with the client's exit code or signal, all of the output, and a released terminal", async () => {
    const { ask, asked } = client({
      "terminal/waitForExit": () => result({ exitCode: 7, signal: null }),
      "terminal/output": () => result({ output: "all of it", truncated: false }),
    });
    assert.deepEqual(await ending(ask), { exitCode: 7, signal: null, timedOut: false, survivors: [], output: "all of it" });
    assert.deepEqual(asked, ["waitForExit", "output", "release"]);
    const killed = client({ "terminal/waitForExit": () => result({ exitCode: null, signal: "SIGTERM" }) });
    assert.deepEqual(
      [(await ending(killed.ask)).exitCode, (await ending(client({ "terminal/waitForExit": () => result({}) }).ask)).exitCode],
      [143, 1],
    );
  });

  it("ends in words when the client goes, when it cannot wait, and when it does not answer a kill", async () => {
    const gone = await ending(client({ "terminal/waitForExit": () => Promise.resolve(undefined) }).ask);
    assert.equal(gone.exitCode, 129);
    assert.match(gone.output, /the client that ran the command has gone/);
    const outputs = [
      { output: "a\n", truncated: false },
      { output: "a\nb\n", truncated: false, exitStatus: { exitCode: 5 } },
    ];
    const unable = client({
      "terminal/waitForExit": refusal,
      "terminal/output": () => result(outputs.length > 1 ? outputs.shift() : outputs[0]),
    });
    assert.deepEqual({ ...(await ending(unable.ask)) }, { exitCode: 5, signal: null, timedOut: false, survivors: [], output: "a\nb\n" });
    const silent = client(
      Object.fromEntries(["waitForExit", "output", "kill", "release"].map((name) => [`terminal/${name}`, () => never])),
    );
    const stuck = await ending(silent.ask, { timeoutMs: 10, answerMs: 20 });
    assert.deepEqual([stuck.exitCode, stuck.timedOut], [124, true]);
    assert.match(stuck.output, /did not say that the command has ended/);
    const stop = new AbortController();
    stop.abort();
    const interrupted = client({ "terminal/waitForExit": () => never });
    assert.equal((await ending(interrupted.ask, { signal: stop.signal, answerMs: 20 })).exitCode, 137);
    assert.deepEqual(interrupted.asked.slice(0, 2), ["kill", "waitForExit"]);
    assert.equal(interrupted.asked.at(-1), "release");
  });

  it("says that nothing can be typed into it", async () => {
    const end = Promise.withResolvers<Outcome>();
    const terminal = new ClientTerminal(client({ "terminal/waitForExit": () => end.promise }).ask, "t", { signal: going });
    let output = "";
    terminal.onOutput = (chunk) => {
      output += Buffer.from(chunk).toString("utf8");
    };
    terminal.write();
    end.resolve({ result: { exitCode: 0 } });
    await terminal.exit;
    assert.match(output, /only the person can type/);
    assert.deepEqual(await terminal.kill(), [], "it has ended");
  });
});

describe("which commands run in a client's terminal", () => {
  const here = { pid: 1 } as RunningCommand;
  const command: Command = {
    ...{ argv: ["bash", "-c", "true"], cwd: "/", env: { PATH: "/bin" }, stdin: "closed" },
    item: { threadId: "t", turnId: "u", itemId: "i" },
  };
  const outside: Confinement = { policy: { type: "dangerFullAccess" }, workspaceRoots: [] };
  const runner = { start: async () => here } as unknown as CommandRunner;
  const requests: { method: string; params: Readonly<Record<string, unknown>> }[] = [];
  const start = (
    create: () => Promise<Outcome | undefined>,
    { of = command, in: confinement = outside, env = {} }: { of?: Command; in?: Confinement; env?: Record<string, string> } = {},
  ) => {
    requests.length = 0;
    const subscriptions = {
      subscribers: () => new Set([{ terminals: true, client: { name: "editor" } } as Session]),
      requestOf: (_: Session, method: string, params: unknown) => {
        requests.push({ method, params: params as Record<string, unknown> });
        return method === "terminal/create" ? create() : method === "terminal/waitForExit" ? result({ exitCode: 0 }) : result({});
      },
    };
    return withClientTerminals(runner, { subscriptions, env, createMs: 20 }).start(of, confinement, going);
  };

  it("are those without a sandbox, without rules about files and without a tty; others are not even offered", async () => {
    const created = () => result({ terminalId: "one" });
    assert.notEqual(await start(created), here);
    assert.equal(requests[0]?.params["itemId"], "i");
    const others: Parameters<typeof start>[1][] = [
      { in: { policy: { type: "workspaceWrite" }, workspaceRoots: [] } },
      { in: { policy: { type: "externalSandbox" }, workspaceRoots: [] } },
      { in: { ...outside, files: {} as NonNullable<Confinement["files"]> } },
      { of: { ...command, tty: { cols: 1, rows: 1 } } },
      { of: { argv: command.argv, cwd: "/", env: {}, stdin: "closed" } },
    ];
    for (const other of others) assert.deepEqual([await start(created, other), requests], [here, []], JSON.stringify(other));
  });

  it("do not see variables that the policy keeps from commands", async () => {
    await start(() => result({ terminalId: "one" }), { env: { PATH: "/bin", A_TOKEN: "secret" } });
    const { command: program, args, env } = requests[0]?.params ?? {};
    assert.deepEqual([program, args, env], ["env", ["-u", "A_TOKEN", "bash", "-c", "true"], [{ name: "PATH", value: "/bin" }]]);
  });

  it("run here when the client refuses, and nowhere else when nobody knows whether they ran", async () => {
    assert.equal(await start(refusal), here);
    const refused = (words: RegExp) => (error: unknown) => error instanceof CommandRefused && words.test(error.message);
    await assert.rejects(() => start(() => Promise.resolve(undefined)), refused(/disconnected/));
    await assert.rejects(() => start(() => result({})), refused(/without a terminalId/));
    const late = Promise.withResolvers<Outcome>();
    await assert.rejects(() => start(() => late.promise), refused(/not.*in time/));
    late.resolve({ result: { terminalId: "late" } });
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    assert.ok(
      requests.some(({ method, params }) => method === "terminal/kill" && params["terminalId"] === "late"),
      "ended after all",
    );
  });
});

describe("the text of a terminal", () => {
  const shown = (output: string, truncated = false) => ({ output, truncated });

  it("grows by whole lines, and by what is left at the end", () => {
    const text = new TerminalText();
    assert.deepEqual(
      [text.more(shown("one\ntw")), text.more(shown("one\ntwo\n")), text.rest(shown("one\ntwo\nthree"))],
      ["one\n", "two\n", "three"],
    );
  });

  it("goes on after its beginning was dropped", () => {
    const text = new TerminalText();
    const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `line ${from + i}\n`).join("");
    assert.equal(text.more(shown(lines(0, 500))), lines(0, 500));
    assert.equal(text.more(shown(lines(100, 600), true)), lines(500, 600));
    assert.match(text.rest(shown(lines(900, 950), true)), /^\n\[the terminal now shows\]\nline 900\n/, "what was missed is not invented");
  });

  it("is not repeated while lines are redrawn, but shown as it is in the end", () => {
    const text = new TerminalText();
    assert.deepEqual(
      [text.more(shown("a\n10%\n")), text.more(shown("a\n20%\n")), text.rest(shown("a\n100%\n"))],
      ["a\n10%\n", "", "\n[the terminal now shows]\n100%\n"],
    );
  });
});
