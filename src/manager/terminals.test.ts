import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { WebSocket } from "ws";
import { adminToken, type PlayedEngine, realEngine, scratchFolder, startManager, type TestManager } from "../../test/support/manager.ts";
import { ableEngine } from "../../test/support/manager-calls.ts";

/** A terminal as a page sees it. */
class Shown {
  readonly socket: WebSocket;
  readonly messages: Record<string, unknown>[] = [];
  text = "";
  readonly #waiting = new Set<() => void>();

  constructor(url: string, query: string) {
    this.socket = new WebSocket(`${url.replace("http", "ws")}/api/terminal?${query}`, ["parley.terminal"], {
      headers: { authorization: `Bearer ${adminToken}` },
    });
    this.socket.on("message", (data: Buffer, isBinary) => {
      if (isBinary) this.text += data.toString();
      else this.messages.push(JSON.parse(data.toString()));
      for (const check of this.#waiting) check();
    });
  }

  until(wanted: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!wanted()) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }
  has(type: string): boolean {
    return this.messages.some((message) => message["type"] === type);
  }
}

describe("terminals", () => {
  let scratch: ReturnType<typeof scratchFolder>;
  before(() => {
    scratch = scratchFolder();
  });
  after(() => scratch.remove());

  test("a shell in the session's folder, shared by two pages, which survives a closed page and ends when it is closed", async () => {
    const real = realEngine(scratch.folder, scratch.workspace, "turns: []");
    const it = await startManager({ ...real, folder: scratch.folder, workspace: scratch.workspace, onClose: real.close });
    try {
      const { session } = (await it.call("POST /api/sessions", { cwd: scratch.workspace })).body as { session: { sessionId: string } };
      const query = `sessionId=${session.sessionId}`;
      const stream = await it.stream();
      const first = new Shown(it.url, `${query}&cols=100&rows=30`);
      first.socket.on("open", () => first.socket.send(Buffer.from("pwd; stty size\r")));
      await first.until(() => first.text.includes(scratch.workspace) && first.text.includes("30 100"));
      const terminalId = it.backend.terminals.all[0]?.terminalId ?? "";
      first.socket.send(JSON.stringify({ type: "resize", cols: 120, rows: 40 }));
      first.socket.send(Buffer.from("stty size\r"));
      await first.until(() => first.text.includes("40 120"));
      first.socket.terminate();

      const second = new Shown(it.url, `${query}&terminalId=${terminalId}`);
      await second.until(() => second.text.includes("40 120"));
      second.socket.send(JSON.stringify({ type: "nonsense" }));
      await second.until(() => second.has("error"));
      second.socket.send(Buffer.from("exit 3\r"));
      await second.until(() => second.has("exit"));
      assert.equal(second.messages.find((message) => message["type"] === "exit")?.["exitCode"], 3);
      second.socket.terminate();
      assert.deepEqual(
        stream.messages.filter((message) => JSON.stringify(message).includes("process/")),
        [],
        "what is typed is for the terminal's pages only",
      );
      stream.close();
      const { data } = (await it.call("GET /api/audit?type=terminal")).body as { data: { summary: string }[] };
      assert.deepEqual(
        data.map(({ summary }) => summary),
        [`opened a terminal in ${scratch.workspace}`],
      );
    } finally {
      await it.close();
    }
  });

  describe("on an engine that the test plays", () => {
    let engine: PlayedEngine;
    let it: TestManager;
    before(async () => {
      engine = ableEngine();
      it = await startManager({ engine, folder: `${scratch.folder}/played`, workspace: "/work" });
    });
    after(() => it.close());

    const handles = (): string[] =>
      engine.calls.filter(({ method }) => method === "process/spawn").map(({ params }) => String(params["processHandle"]));
    const output = (processHandle: string, text: string): void =>
      engine.notify("process/outputDelta", {
        ...{ processHandle, stream: "stdout", capReached: false },
        deltaBase64: Buffer.from(text).toString("base64"),
      });

    test("only the end of a long output is kept for those who join", async () => {
      const first = new Shown(it.url, "sessionId=s-1");
      await first.until(() => first.has("open"));
      const [handle = ""] = handles();
      for (let i = 0; i < 40; i++) output(handle, `${i} `.padEnd(10_000, "x"));
      await first.until(() => first.text.length === 400_000);
      const late = new Shown(it.url, `sessionId=s-1&terminalId=${handle}`);
      await late.until(() => late.text.length > 0);
      assert.ok(late.text.length <= 256 * 1024 && late.text.startsWith("14 "), late.text.slice(0, 5));
      for (const { socket } of [first, late]) socket.terminate();
    });

    test("one that belongs to another session is not shown, and a refusal of the engine is said in words", async () => {
      const [handle = ""] = handles();
      await it.call("POST /api/sessions/s-2/resume", {});
      const foreign = new Shown(it.url, `sessionId=s-2&terminalId=${handle}`);
      await foreign.until(() => foreign.has("error"));
      assert.equal(foreign.messages[0]?.["message"], "there is no such terminal");
      const answers = engine.answer("process/spawn", {});
      engine.on("process/spawn", () => {
        throw new Error("an administrator forbids it");
      });
      const refused = new Shown(it.url, "sessionId=s-1");
      await refused.until(() => refused.has("error"));
      engine.on("process/spawn", () => answers);
      assert.equal(it.backend.terminals.all.length, 1);
    });

    test("at most 32 are open at once, and all end with the engine", async () => {
      const start = (): Promise<string> => it.backend.terminals.start({ sessionId: "s-1", cwd: "/work", by: "x" }, { cols: 80, rows: 24 });
      while (it.backend.terminals.all.length < 32) await start();
      await assert.rejects(start(), /32 terminals are open/);
      const shown = new Shown(it.url, `sessionId=s-1&terminalId=${handles()[0]}`);
      await shown.until(() => shown.has("open"));
      it.backend.terminals.engineLost();
      await shown.until(() => shown.has("exit"));
      assert.equal(await start().then((id) => it.backend.terminals.find(id)?.exitCode), null);
      shown.socket.terminate();
    });
  });
});
