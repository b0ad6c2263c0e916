/** A thread with one turn, as Parley stores it, for runs that list threads. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

const id = "0199a0b0-4c2e-7d31-8a55-6b0f9f4a1e01";
const time = "2025-10-01T12:00:00.000Z";
const user = { type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] };
const agent = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Ready." }] };

export function storeThread(home: string): void {
  const meta = {
    id,
    timestamp: time,
    cwd: home,
    originator: "codex_cli_rs",
    cli_version: "0.166.0",
    source: "cli",
    model_provider: "mock",
  };
  const lines = [
    { type: "session_meta", payload: meta, parley: {} },
    { type: "event_msg", payload: { type: "user_message", message: "Hello" } },
    { type: "response_item", payload: user, parley: { set: { turnId: id } } },
    { type: "response_item", payload: agent },
  ].map((line) => `${JSON.stringify({ timestamp: time, ...line })}\n`);
  const folder = path.join(home, "sessions", "2025", "10", "01");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, `rollout-2025-10-01T12-00-00-${id}.jsonl`), lines.join(""));
}
