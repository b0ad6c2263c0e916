/** The fake bridge's answers about sections, goals, search, files and cost. */
import type { FakeBridge } from "./fake-bridge.ts";

type Body = Record<string, unknown>;
type Reply = readonly [number, unknown] | undefined;

const pinned = { sectionId: "pinned", name: "Pinned", isPinned: true };
const file =
  "export class TokenBucket {\n  #tokens: number;\n  #last: number;\n\n  take(): boolean {\n    return this.#tokens-- > 0;\n  }\n}\n";
const day = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);

export class FakeLists {
  readonly #bridge: FakeBridge;
  readonly #sections = [pinned, { sectionId: "later", name: "Later", isPinned: false }];
  readonly goals = new Map<string, Body>();
  file = { text: file, version: "1" };

  constructor(bridge: FakeBridge) {
    this.#bridge = bridge;
  }

  sections(): unknown {
    const members = (id: string): string[] => [...this.#bridge.sessions.values()].filter((s) => s.sectionId === id).map((s) => s.sessionId);
    return { data: this.#sections.map((s) => ({ ...s, sessionIds: members(s.sectionId) })) };
  }

  /** Undefined for what it knows nothing about. */
  answer(key: string, url: URL, body: Body): Reply {
    const id = url.pathname.split("/")[3] ?? "";
    switch (id === "" ? key : key.replace(`/${id}`, "/:id")) {
      case "GET /api/sections":
        return [200, this.sections()];
      case "POST /api/sections":
        this.#sections.push({ sectionId: crypto.randomUUID(), name: String(body["name"]), isPinned: false });
        return [200, this.sections()];
      case "POST /api/sessions/:id/section":
        this.#bridge.update(id, { sectionId: body["sectionId"] as string | null });
        return [200, this.sections()];
      case "POST /api/sessions/:id/read":
        this.#bridge.update(id, { unread: body["read"] !== true });
        return [200, { status: "ok", session: this.#bridge.sessions.get(id) }];
      case "POST /api/sessions/:id/snooze":
        this.#bridge.update(id, { snoozedUntil: body["until"] as number | null });
        return [200, { status: "ok", session: this.#bridge.sessions.get(id) }];
      case "GET /api/sessions/:id/cost":
        return [200, { money: null }];
      case "GET /api/sessions/:id/goal":
        return [200, { goal: this.goals.get(id) ?? null }];
      case "POST /api/sessions/:id/goal":
        return this.#setGoal(id, body);
      case "GET /api/sessions/:id/file":
        return [200, { path: `/home/ada/projects/tidepool/${url.searchParams.get("path")}`, size: 200, readOnly: null, ...this.file }];
      case "GET /api/sessions/:id/attachments":
        return [200, { data: [] }];
      case "GET /api/folders":
        return [
          200,
          {
            data: ["tidepool", "tidepool-docs"].map((name) => ({ name, path: `/home/ada/projects/${name}` })),
            isFolder: false,
            truncated: false,
          },
        ];
      case "GET /api/usage":
        return [200, usage()];
      case "GET /api/search":
        return [200, this.#search(url.searchParams.get("query") ?? "")];
      default:
        return undefined;
    }
  }

  #setGoal(id: string, body: Body): Reply {
    const before = this.goals.get(id) ?? {
      threadId: id,
      status: "active",
      tokensUsed: 61_200,
      timeUsedSeconds: 754,
      createdAt: 1,
      updatedAt: 1,
    };
    const goal = { ...before, ...body };
    this.goals.set(id, goal);
    this.#bridge.notify(id, "thread/goal/updated", { goal });
    return [200, { goal }];
  }

  #search(query: string): unknown {
    const found = [...this.#bridge.sessions.values()].slice(0, 6);
    return {
      data: found.map((session) => ({ session, snippet: `…the change that makes ${query} work again after the restart…` })),
      nextCursor: null,
    };
  }
}

function usage(): unknown {
  const rows = Array.from({ length: 14 }, (_, i) => [
    row(day(i), "/home/ada/projects/tidepool", "gpt-5.6-codex", 0.4 + ((i * 7) % 5) * 0.9),
    row(day(i), "/home/ada/notes", "qwen3-coder", null),
  ]).flat();
  return {
    ...{ rows, currency: "USD", truncated: false, today: { day: day(0), tokens: 912_000, money: 4.2 } },
    budget: { moneyPerDay: 5, moneyPerThread: null, tokensPerDay: null, tokensPerThread: null },
  };
}

const row = (name: string, cwd: string, model: string, money: number | null): unknown => ({
  ...{ day: name, cwd, projectId: null, model, provider: "openai", threads: 3, money },
  ...{ inputTokens: 210_000, cachedInputTokens: 160_000, outputTokens: 18_000, totalTokens: 228_000 },
});
