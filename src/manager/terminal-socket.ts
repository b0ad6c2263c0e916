/** The websocket of a terminal: bytes in both directions as binary frames, everything else as JSON texts. */
import type { WebSocket } from "ws";
import { errorMessage } from "../lib/error-text.ts";
import { integer, literals, named, object, parse, union } from "../lib/schema.ts";
import { bounded } from "./api/define.ts";
import type { Manager } from "./manager.ts";
import { Problem } from "./problems.ts";
import { open as openSession } from "./routes/sessions.ts";
import type { Size } from "./terminals.ts";

/** The websocket subprotocol of terminals; browsers send their key with it. */
export const terminalProtocol = "parley.terminal";

const side = () => bounded(integer(), { minimum: 1, maximum: 1000 });
const Command = named("TerminalCommand", () =>
  union([object({ type: literals("resize"), cols: side(), rows: side() }), object({ type: literals("close") })]),
);

/** Frames that are kept while the terminal opens. */
const maxEarly = 100;
/** Output that a slow page has not read yet; more is skipped, and the page is told. */
const maxBehind = 4 * 1024 * 1024;

export interface TerminalStart extends Partial<Size> {
  readonly sessionId: string;
  readonly terminalId?: string | undefined;
}

export async function serveTerminal(manager: Manager, socket: WebSocket, start: TerminalStart, by: string): Promise<void> {
  const say = (message: Readonly<Record<string, unknown>>): void => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
  };
  const early: { data: Buffer; isBinary: boolean }[] = [];
  const keepEarly = (data: Buffer, isBinary: boolean): void => {
    if (early.length < maxEarly) early.push({ data, isBinary });
  };
  socket.on("message", keepEarly); // never throws: it only keeps what was typed
  socket.on("error", () => socket.terminate());
  try {
    const session = await openSession(manager, start.sessionId);
    const size = { cols: start.cols ?? 80, rows: start.rows ?? 24 };
    const terminalId = start.terminalId ?? (await startNew(manager, { sessionId: session.id, cwd: session.thread.cwd, by }, size));
    const terminal = manager.terminals.find(terminalId);
    if (terminal === undefined || terminal.sessionId !== session.id) throw new Error("there is no such terminal");
    say({ type: "open", terminal });
    let skipped = 0;
    const leave = manager.terminals.join(terminalId, {
      output(bytes) {
        if (socket.readyState !== socket.OPEN) return;
        if (socket.bufferedAmount > maxBehind) {
          skipped += bytes.length;
          return;
        }
        if (skipped > 0) say({ type: "skipped", bytes: skipped });
        skipped = 0;
        socket.send(bytes);
      },
      ended: (exitCode) => say({ type: "exit", exitCode }),
    });
    socket.on("close", () => leave?.());
    const receive = (data: Buffer, isBinary: boolean): void => {
      handle(manager, terminalId, data, isBinary).catch((error: unknown) => say({ type: "error", message: textOf(error) }));
    };
    socket.off("message", keepEarly);
    socket.on("message", receive); // never throws: what handling rejects with is sent back
    for (const { data, isBinary } of early) receive(data, isBinary);
  } catch (error) {
    say({ type: "error", message: textOf(error) });
    socket.close(1011);
  }
}

async function startNew(manager: Manager, of: { sessionId: string; cwd: string; by: string }, size: Size): Promise<string> {
  const summary = `opened a terminal in ${of.cwd}`;
  manager.audit.write({ type: "terminal", by: { kind: "device", name: of.by }, threadId: of.sessionId, summary });
  return await manager.terminals.start(of, size);
}

async function handle(manager: Manager, terminalId: string, data: Buffer, isBinary: boolean): Promise<void> {
  if (isBinary) return await manager.terminals.write(terminalId, data);
  let message: unknown;
  try {
    message = JSON.parse(data.toString());
  } catch {
    message = undefined;
  }
  const command = parse(Command, message);
  if (command === undefined) throw new Error("expected bytes, or a resize or close command");
  if (command.type === "resize") return await manager.terminals.resize(terminalId, command);
  await manager.terminals.close(terminalId);
}

const textOf = (error: unknown): string =>
  error instanceof Problem && typeof error.body["message"] === "string" ? error.body["message"] : errorMessage(error);
