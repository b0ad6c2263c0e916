/** Fuzz targets for everything that reads text: settings, rules, shell strings, patches, model streams, thread files, markdown. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { advance, type Blocks, safeHref } from "../../apps/web/src/parts/markdown/blocks.ts";
import { editToml, withValue } from "../../src/config/toml-edit.ts";
import { replay } from "../../src/core/context/replay.ts";
import { parsePatch } from "../../src/core/patch/parse.ts";
import type { ModelEvent } from "../../src/core/ports/model-client.ts";
import { clean } from "../../src/lib/terminal-text.ts";
import { parseToml } from "../../src/lib/toml.ts";
import { createAnthropicReader } from "../../src/models/anthropic-events.ts";
import { createChatReader } from "../../src/models/chat-events.ts";
import { MalformedResponse, type ResponseHead, ResponseReader } from "../../src/models/http/response-reader.ts";
import { createResponsesReader } from "../../src/models/responses-events.ts";
import { flattenTools } from "../../src/models/tools.ts";
import type { EventReader } from "../../src/models/wire.ts";
import { loadShellParser, understand } from "../../src/shell/command-line.ts";
import { literalCommands } from "../../src/shell/policy/literal-commands.ts";
import { parseRules } from "../../src/shell/policy/rules.ts";
import { RulesError } from "../../src/shell/policy/starlark.ts";
import { readRollout } from "../../src/store/rollout/rollout.ts";
import { markdownLines } from "../../src/tui/text/markdown.ts";
import { lineText } from "../../src/tui/text/spans.ts";
import { hostileLine } from "../support/hostile-lines.ts";
import { oddText, type Target, target, woven } from "./target.ts";

/** A file that can be read is edited into one with the new value; one that cannot is refused and left alone. */
const toml = target({
  name: "toml",
  input: fc.record({
    text: woven([
      "a",
      "b.c",
      '"d e"',
      " = ",
      "1",
      '"x"',
      "'''y\n'''",
      "[",
      "]",
      "[[",
      "]]",
      "{",
      "}",
      ",",
      "\n",
      "# note\n",
      "true",
      "1979-05-27",
    ]),
    path: fc.array(fc.constantFrom("a", "b", "c", "d e", "__proto__", "", "x.y"), { minLength: 1, maxLength: 3 }),
    value: fc.oneof(oddText, fc.integer(), fc.boolean(), fc.array(fc.string(), { maxLength: 3 })),
  }),
  check: ({ text, path: keys, value }) => {
    const before = quietly(() => parseToml(text));
    if (before === undefined) return;
    const wanted = quietly(() => withValue(before, keys, value));
    const after = quietly(() => editToml(text, keys, value));
    if (wanted === undefined || after === undefined) return;
    assert.deepEqual(parseToml(after), wanted);
    assert.equal(Object.getPrototypeOf({}), Object.prototype);
  },
});

/** Rules are understood or refused with their place; nothing in between. */
const rules = target({
  name: "rules",
  input: woven([
    ...[
      "prefix_rule(",
      "host_executable(",
      "network_rule(",
      "pattern=",
      "decision=",
      "match=",
      "not_match=",
      "name=",
      "[",
      "]",
      "(",
      ")",
      ",",
    ],
    ...['"git"', '"rm"', '["a","b"]', '"allow"', '"forbidden"', '"prompt"', "'x'", "\n", "# note\n", '"""', "\\", "def f():\n", " "],
  ]),
  check: (text) => {
    try {
      for (const { pattern } of parseRules(text, "fuzz.rules").rules) assert.ok(pattern.length > 0);
    } catch (error) {
      if (!(error instanceof RulesError)) throw error;
      assert.match(error.message, /fuzz\.rules/);
    }
  },
});

/** A shell string that is called understood has words only; every other one is opaque, and neither hangs nor throws. */
const shellParser = await loadShellParser();
const shell = target({
  name: "shell",
  input: woven([
    ...[
      "ls",
      "cat ",
      "rm -rf /",
      " ",
      "&&",
      "||",
      ";",
      "|",
      "&",
      "\n",
      "$(",
      ")",
      "`",
      "'",
      '"',
      "\\",
      "$x",
      "${a:-b}",
      "<(",
      ">",
      "<<EOF\n",
    ],
    ...[
      "EOF\n",
      "{",
      "}",
      "*",
      "?",
      "~",
      "!",
      "#",
      "(",
      "=",
      "a=b ",
      "if true; then ",
      "fi",
      "bash -lc ",
      "eval ",
      "$'\\x41'",
      "\\\n",
      "%",
    ],
  ]),
  check: (script) => {
    const { commands } = understand(["bash", "-lc", script], shellParser);
    for (const words of commands ?? []) assert.ok(words.length > 0 && words.every((word) => typeof word === "string"));
    if (commands !== undefined)
      assert.doesNotMatch(stripQuoted(script), /[`<>]|\$\(|\$\{|\$[A-Za-z_]/, "what bash would expand was called plain");
    literalCommands(script, shellParser);
  },
});

/** A patch is a list of operations on named files, or a failure in words. */
const patch = target({
  name: "patch",
  input: woven([
    ...[
      "*** Begin Patch\n",
      "*** End Patch",
      "*** Add File: ",
      "*** Delete File: ",
      "*** Update File: ",
      "*** Move to: ",
      "a.txt\n",
      "b/c\n",
      "@@\n",
    ],
    ...["@@ class\n", "+x\n", "-x\n", " x\n", "\n", "*** End of File\n", "../up\n", "/abs\n", "\r\n", "*** Environment ID: e\n"],
  ]),
  check: (text) => {
    const parsed = parsePatch(text);
    if ("failed" in parsed) assert.ok(parsed.failed.length > 0);
    else for (const hunk of parsed.hunks) assert.ok(hunk.path.length > 0, "an operation without a file");
  },
});

/** Whatever a provider sends, a response has one end, and it comes last. */
const readers: Readonly<Record<string, () => EventReader>> = {
  responses: () => createResponsesReader(),
  chat: () => createChatReader(flattenTools([]), true),
  anthropic: () => createAnthropicReader(flattenTools([])),
};
const kinds = [
  ...["response.created", "response.output_item.added", "response.output_item.done", "response.output_text.delta", "response.completed"],
  ...["response.failed", "response.incomplete", "response.function_call_arguments.delta", "response.reasoning_summary_text.delta", "error"],
  ...["message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop", "ping"],
];
const keys = [
  ...[
    "type",
    "item",
    "item_id",
    "response",
    "delta",
    "index",
    "content_block",
    "text",
    "choices",
    "message",
    "usage",
    "id",
    "output_index",
  ],
  ...["finish_reason", "tool_calls", "function", "name", "arguments", "content", "error", "code", "partial_json", "stop_reason", "role"],
];
const said = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<unknown>(
      null,
      true,
      0,
      -1,
      1e308,
      "",
      "x",
      "text",
      "tool_use",
      "function_call",
      "message",
      "text_delta",
      "stop",
      "__proto__",
    ),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...keys), tie("value"), { maxKeys: 5 }),
  ),
})).value;
const stream = target({
  name: "stream",
  input: fc.record({
    wire: fc.constantFrom(...Object.keys(readers)),
    events: fc.array(
      fc.record({
        event: fc.option(fc.constantFrom(...kinds), { nil: undefined }),
        data: fc.oneof(
          fc
            .tuple(fc.constantFrom(...kinds), fc.dictionary(fc.constantFrom(...keys), said, { maxKeys: 6 }))
            .map(([type, rest]) => JSON.stringify({ ...rest, type })),
          fc.constantFrom("[DONE]", "", "{", "null", '"x"', "[]"),
          oddText,
        ),
      }),
      { maxLength: 12 },
    ),
  }),
  check: ({ wire, events }) => {
    const reader = readers[wire]?.();
    assert.ok(reader);
    const out: ModelEvent[] = [];
    const isOver = events.some(({ data, event }) => reader.read(data, event ?? undefined, out));
    if (!isOver) reader.end(out);
    const ends = out.flatMap((event, i) => (event.type === "completed" || event.type === "failed" ? [i] : []));
    assert.deepEqual(ends, [out.length - 1], `ends at ${ends} of ${out.length}: ${JSON.stringify(out).slice(0, 500)}`);
  },
});

/** Bytes of a response mean the same however they are split, and what is no response is refused in words. */
const response = target({
  name: "response",
  input: fc.record({
    text: woven([
      "HTTP/1.1 200 OK\r\n",
      "HTTP/1.1 100 Continue\r\n\r\n",
      "HTTP/1.0 204 No Content\r\n",
      "Content-Length: 5\r\n",
      "content-length: 0\r\n",
      "Transfer-Encoding: chunked\r\n",
      "Connection: close\r\n",
      "a: b\r\n",
      " folded\r\n",
      "\r\n",
      "\n",
      "\r",
      "5\r\n12345\r\n",
      "fffffff\r\n",
      "1;x=y\r\nz\r\n",
      "0\r\n\r\n",
      "12345",
      "\0",
    ]),
    sizes: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
  }),
  check: ({ text, sizes }) => {
    assert.deepEqual(readResponse(Buffer.from(text), sizes), readResponse(Buffer.from(text), [Number.POSITIVE_INFINITY]));
  },
});

interface ResponseSeen {
  head?: ResponseHead;
  body: string;
  ends: number;
  refused: boolean;
}

function readResponse(bytes: Buffer, sizes: readonly number[]): ResponseSeen {
  const seen: ResponseSeen = { body: "", ends: 0, refused: false };
  const reader = new ResponseReader({
    answered: (head) => {
      assert.equal(seen.head, undefined);
      seen.head = head;
    },
    data: (piece) => {
      assert.ok(piece.length > 0 && seen.head !== undefined && seen.ends === 0);
      seen.body += piece.toString("latin1");
    },
    ended: () => {
      seen.ends++;
    },
  });
  try {
    for (let at = 0, i = 0; at < bytes.length && seen.ends === 0; i++) {
      const piece = bytes.subarray(at, Math.min(bytes.length, at + (sizes[i % sizes.length] ?? 1)));
      reader.feed(piece);
      at += piece.length;
    }
    assert.equal(reader.end(), seen.ends === 1);
  } catch (error) {
    if (!(error instanceof MalformedResponse)) throw error;
    seen.refused = true;
  }
  return seen;
}

/** No line makes a thread unreadable. */
const folder = mkdtempSync(path.join(tmpdir(), "parley-fuzz-"));
const head = JSON.stringify({
  timestamp: "2026-11-15T08:00:00.000Z",
  type: "session_meta",
  payload: { id: "01a1de79-0000-7000-8000-0000000000aa", cwd: "/ws" },
});
const rollout = target({
  name: "rollout",
  input: fc.array(fc.oneof({ arbitrary: hostileLine, weight: 5 }, { arbitrary: oddText, weight: 1 }), { maxLength: 30 }),
  check: async (lines) => {
    const file = path.join(folder, "rollout.jsonl");
    writeFileSync(file, `${head}\n${lines.join("\n")}\n`);
    assert.equal(replay(await readRollout(file, async () => undefined)).meta?.cwd, "/ws");
  },
  close: async () => rmSync(folder, { recursive: true, force: true }),
});

/** Markdown of any shape becomes lines without control characters; on the page it reads the same however it was cut. */
const markdown = target({
  name: "markdown",
  input: fc.record({
    text: woven([
      ...[
        "# ",
        "- ",
        "1. ",
        "> ",
        "```js\n",
        "```\n",
        "`",
        "**",
        "_",
        "~~",
        "[a](",
        ")",
        "![x](",
        "<script>",
        "</script>",
        "<img src=x onerror=1>",
      ],
      ...[
        "| a | b |\n",
        "|---|---|\n",
        "\n",
        "\n\n",
        "word ",
        "javascript:alert(1)",
        "data:text/html,x",
        "http://h/",
        "&lt;",
        "\t",
        "[ ] ",
        "---\n",
      ],
    ]),
    width: fc.integer({ min: 10, max: 120 }),
    cut: fc.nat({ max: 200 }),
  }),
  check: ({ text, width, cut }) => {
    for (const line of markdownLines(clean(text), width)) {
      assert.ok(!lineText(line).includes("\n"), "two lines in one");
      assert.doesNotMatch(lineText(line), /[\u0000-\u0008\u000b-\u001f\u007f]/, "a control character came through");
    }
    const whole = advance(undefined, text);
    const half: Blocks = advance(undefined, text.slice(0, cut));
    assert.deepEqual(advance(half, text), whole);
    for (const [, href] of text.matchAll(/\]\(([^)]*)\)/g))
      assert.doesNotMatch(safeHref(href ?? "") ?? "", /^\s*(?:javascript|data|vbscript):/i);
  },
});

export const textTargets: readonly Target[] = [toml, rules, shell, patch, stream, response, rollout, markdown];

/** What is left of a script without what single quotes, double quotes and backslashes protect. */
function stripQuoted(script: string): string {
  return script.replace(/'[^']*'|\\[\s\S]/g, "").replace(/"(?:[^"\\$`])*"/g, "");
}
function quietly<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw error; // a bug, not a refusal
    return undefined;
  }
}
