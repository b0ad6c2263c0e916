/** What Codex's own tests of `exec` do, on Parley and on the real Codex 0.166: the same exit codes, requests, files and events. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { responsesFrames } from "../support/model-mocks/frames.ts";
import { MockProvider, type SeenRequest, stream } from "../support/model-mocks/server.ts";
import { launcher, scratch } from "../support/process.ts";
import { mockHome, program, skip } from "./side.ts";

const patch = "*** Begin Patch\n*** Add File: made.md\n+Hello\n*** End Patch";
/** One for each side, which run at the same time. */
const makeModel = (): MockProvider =>
  new MockProvider((response, request) => {
    const text = JSON.stringify(request.body["input"]);
    const isPatch = text.includes("PATCH") && !text.includes("_call_output");
    const call = { id: "call_patch", name: "apply_patch", custom: true, args: patch };
    return stream(responsesFrames(isPatch ? { calls: [call] } : { text: "answered" }))(response, request);
  });

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

class Home {
  readonly folder: string;
  readonly model: MockProvider;
  readonly #program: string;
  constructor(folder: string, which: string, model: MockProvider) {
    this.folder = folder;
    this.#program = which;
    this.model = model;
  }
  get last(): SeenRequest | undefined {
    return this.model.requests.at(-1);
  }
  at(...names: string[]): string {
    return path.join(this.folder, ...names);
  }
  async exec(
    args: readonly string[],
    given: { readonly input?: string | "open"; readonly env?: object; readonly cwd?: string } = {},
  ): Promise<Ended> {
    const env = { PATH: process.env["PATH"], HOME: this.folder, CODEX_HOME: this.at("home"), TMPDIR: this.at("tmp"), LANG: "C.UTF-8" };
    const child = spawn(this.#program, ["exec", "--skip-git-repo-check", ...args], {
      cwd: given.cwd ?? this.at("ws"),
      env: { ...env, ...given.env },
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (chunk) => (stdout += chunk));
    child.stderr.on("data", (chunk) => (stderr += chunk));
    child.stdin.on("error", () => {});
    if (given.input !== "open") child.stdin.end(given.input ?? "");
    const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
    return { code, stdout, stderr };
  }
  threads(): string[] {
    const folder = this.at("home", "sessions");
    return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl")) : [];
  }
}

const isContext = /^<environment_context|^# AGENTS|^<skills|^<permissions|^<INSTRUCTIONS/;
const said = ({ last }: Home): string[] => {
  const items = (last?.body["input"] ?? []) as readonly { role?: string; content?: readonly { text?: string; type: string }[] }[];
  return items
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) => (content ?? []).map((part) => part.text ?? part.type))
    .filter((text) => !isContext.test(text));
};
/** Without notes about a model that a program does not know, whose place differs. */
const events = ({ stdout }: Ended): unknown[] =>
  stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .filter(({ item }) => item?.type !== "error")
    .map(({ type, item }) => [type, item?.type, item?.changes?.length]);
const head = ({ stderr }: Ended): string[] => stderr.split("\n").filter((line) => /^(?:approval|sandbox|model|provider):/.test(line));

async function prompts(home: Home): Promise<unknown> {
  const outcomes: unknown[] = [];
  for (const [args, input] of [
    [["Sum"], "more\n"],
    [["Sum"], ""],
    [["-"], "piped\n"],
    [[], "piped\n"],
    [[], ""],
    [["-"], ""],
  ] as const) {
    const before = home.model.requests.length;
    const { code, stderr } = await home.exec(args, { input });
    outcomes.push([code, home.model.requests.length > before ? said(home) : stderr.includes("No prompt provided via stdin")]);
  }
  return outcomes;
}

async function settings(home: Home): Promise<unknown> {
  const plain = await home.exec(["hi"]);
  const originators = [home.last?.headers["originator"]];
  await home.exec(["--ephemeral", "hi"], { env: { CODEX_INTERNAL_ORIGINATOR_OVERRIDE: "another" } });
  originators.push(home.last?.headers["originator"]);
  const count = home.threads().length;
  writeFileSync(home.at("ws", "AGENTS.md"), "OF-THE-FOLDER");
  writeFileSync(home.at("schema.json"), '{"type":"object","properties":{},"additionalProperties":false}');
  await home.exec(["--output-schema", home.at("schema.json"), "hi"]);
  const { body } = home.last ?? {};
  const reviewed = await home.exec(["-c", 'approval_policy="on-request"', "-c", 'approvals_reviewer="auto_review"', "hi"]);
  const bypassed = await home.exec(["-c", 'approvals_reviewer="auto_review"', "--dangerously-bypass-approvals-and-sandbox", "hi"]);
  const broken = ["-c", 'mcp_servers.broken.command="no-such-program-at-all"', "-c", "mcp_servers.broken.required=true"];
  const required = await home.exec([...broken, "hi"]);
  const patched = await home.exec(["--json", "-m", "gpt-5.5", "PATCH"]);
  return {
    heads: [plain, reviewed, bypassed].map(head),
    originators,
    count,
    agents: JSON.stringify(body?.["input"]).includes("OF-THE-FOLDER"),
    format: body?.["text"],
    required: [required.code, /required MCP servers failed to initialize: broken/.test(required.stderr)],
    patched: [patched.code, events(patched), readFileSync(home.at("ws", "made.md"), "utf8")],
  };
}

async function again(home: Home): Promise<unknown> {
  const text = (): string => readFileSync(home.at("home", "sessions", home.threads()[0] ?? ""), "utf8");
  await home.exec(["marker-one"]);
  const id = /([0-9a-f-]{36})\.jsonl$/.exec(home.threads()[0] ?? "")?.[1] ?? "";
  const before = await home.exec(["marker-two", "resume", "--last"]);
  const flagged = await home.exec(["resume", "--last", "--json", "marker-three"]);
  const named = await home.exec(["marker-four", "resume", id]);
  const inOne = [before.code, named.code, home.threads().length, ["two", "three", "four"].map((word) => text().includes(`marker-${word}`))];
  mkdirSync(home.at("other"));
  const elsewhere = await home.exec(["resume", "--last", "marker-five"], { cwd: home.at("other") });
  const afterElsewhere = home.threads().length;
  const fork = await home.exec(["fork", id, "--json"], { input: "open" });
  const refused = [["--image", "u.png"], ["--output-schema", "u.json"], ["--output-last-message", "u.md"], ["--ephemeral"]];
  const why: unknown[] = [];
  for (const flags of refused) {
    const { code, stderr } = await home.exec(["fork", id, ...flags]);
    why.push([code === 0, /(?:Forking|Ephemeral)[^\n]* a prompt/.exec(stderr)?.[0]]);
  }
  const prompted = await home.exec(["fork", id, "in the fork"]);
  return {
    inOne,
    flagged: events(flagged),
    elsewhere: [elsewhere.code, afterElsewhere],
    fork: [fork.code, events(fork)],
    why,
    prompted: [prompted.code, said(home).slice(-1)],
  };
}

for (const [name, steps] of Object.entries({ prompts, settings, "resume and fork": again }))
  test(`exec, ${name}: the same on both`, { skip, timeout: 300_000 }, async (t) => {
    const outcomes = await Promise.all(
      [program, launcher].map(async (which) => {
        const folder = scratch(t);
        await using model = makeModel();
        mockHome(folder, await model.listen());
        return JSON.parse(JSON.stringify(await steps(new Home(folder, which, model))).replaceAll(folder, "<FOLDER>"));
      }),
    );
    assert.deepEqual(outcomes[1], outcomes[0]);
  });
