import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommandExecutionRequestApprovalParams } from "../../protocol/approval.ts";
import type { McpServerElicitationRequestParams } from "../../protocol/elicitation.ts";
import { type Key, plainKey } from "../compose/key.ts";
import { type Approval, changeApproval, commandApproval, permissionsApproval, pressApproval } from "./approval.ts";
import { createForm, type Form, pressForm } from "./form.ts";
import { createPicker, type Picker, pressPicker, shownItems } from "./picker.ts";
import { elicitationAnswer, elicitationPrompt, questionsAnswer, questionsForm } from "./questions.ts";

const letter = (text: string): Key => plainKey("text", text);
const ids = { threadId: "T", turnId: "1", itemId: "i", startedAtMs: 0 };

function answerBy(prompt: Approval, ...keys: readonly Key[]): unknown {
  let now: Approval = prompt;
  for (const key of keys) {
    const next = pressApproval(now, key);
    if (next === undefined) continue;
    if ("answer" in next) return next.answer;
    now = next;
  }
  return undefined;
}

const request: CommandExecutionRequestApprovalParams = {
  ...ids,
  command: "/bin/bash -lc 'rm -rf \u202ebuild'",
  cwd: "/w",
  reason: "to clean",
  availableDecisions: [
    "accept",
    "acceptForSession",
    { acceptWithExecpolicyAmendment: { execpolicy_amendment: ["rm", "-rf"] } },
    "decline",
    "cancel",
  ],
};

test("one key approves a command, and Escape is the most careful answer", () => {
  const prompt = commandApproval(request);
  assert.deepEqual(answerBy(prompt, letter("y")), { decision: "accept" });
  assert.deepEqual(answerBy(prompt, letter("S")), { decision: "acceptForSession" });
  assert.deepEqual(answerBy(prompt, letter("p")), { decision: { acceptWithExecpolicyAmendment: { execpolicy_amendment: ["rm", "-rf"] } } });
  assert.deepEqual(answerBy(prompt, letter("n")), { decision: "decline" });
  assert.deepEqual(answerBy(prompt, plainKey("escape")), { decision: "cancel" });
  assert.deepEqual(answerBy(prompt, plainKey("down"), plainKey("return")), { decision: "acceptForSession" });
  assert.deepEqual(answerBy(prompt, letter("4")), { decision: "decline" });
  assert.equal(answerBy(prompt, letter("x"), { ...letter("y"), ctrl: true }, letter("0"), letter(" ")), undefined);
});

test("what is approved is what is seen", () => {
  const { subject } = commandApproval(request);
  assert.ok(subject.kind === "command");
  assert.equal(subject.command, "rm -rf \\u{202e}build");
  assert.deepEqual(subject.rows, [
    ["in", "/w"],
    ["shell", "/bin/bash -lc"],
    ["why", "to clean"],
  ]);
});

test("only the offered decisions can be made", () => {
  const prompt = commandApproval({ ...request, availableDecisions: ["accept", "cancel"] });
  assert.equal(answerBy(prompt, letter("s")), undefined);
  assert.deepEqual(answerBy(prompt, plainKey("escape")), { decision: "cancel" });
  const older = commandApproval({ ...request, availableDecisions: null, proposedExecpolicyAmendment: null });
  assert.deepEqual(
    older.choices.map(({ key }) => key),
    ["y", "s", "n", "c"],
  );
  const network = commandApproval({
    ...request,
    networkApprovalContext: { host: "example.com", protocol: "https" },
    availableDecisions: [
      "accept",
      { applyNetworkPolicyAmendment: { network_policy_amendment: { host: "example.com", action: "allow" } } },
      "decline",
    ],
  });
  assert.equal(network.title, "Allow this network access?");
  assert.equal(network.choices[0]?.label, "Yes, this time");
  assert.deepEqual(answerBy(network, plainKey("escape")), { decision: "decline" });
  assert.ok(answerBy(network, letter("a")));
});

test("changes and permissions", () => {
  const change = { path: "/a", kind: { type: "add" as const }, diff: "x" };
  const prompt = changeApproval({ ...ids, reason: "why not" }, [change]);
  assert.deepEqual(answerBy(prompt, letter("c")), { decision: "cancel" });
  const permissions = { fileSystem: { write: ["/out"] }, network: { enabled: true } };
  const more = permissionsApproval({ ...ids, cwd: "/w", permissions });
  assert.deepEqual(answerBy(more, letter("s")), { permissions, scope: "session" });
  assert.deepEqual(answerBy(more, plainKey("escape")), { permissions: {}, scope: "turn" });
  assert.deepEqual(more.subject.rows.slice(0, 2), [
    ["write", "/out"],
    ["network", "all of it"],
  ]);
});

function fill(form: Form, ...keys: readonly Key[]): Form | { given: unknown } | { cancelled: true } {
  let now: Form = form;
  for (const key of keys) {
    const next = pressForm(now, key);
    if (next === undefined) continue;
    if (!("kind" in next)) return next;
    now = next;
  }
  return now;
}

const question = { header: "H", question: "Q?", id: "q" };
const options = ["Red", "Blue"].map((label) => ({ label, description: "" }));
const form = (...questions: object[]): Form =>
  questionsForm({ ...ids, isBlocking: true, questions: questions.map((more, i) => ({ ...question, id: `q${i}`, ...more })) });
const enter = plainKey("return");

test("questions: a number, Other, multiple choice, free text", () => {
  assert.deepEqual(fill(form({ options }), letter("2")), { given: { q0: ["Blue"] } });
  assert.deepEqual(fill(form({ options }), plainKey("down"), enter), { given: { q0: ["Blue"] } });
  assert.deepEqual(fill(form({ options, isOther: true }), letter("3"), letter("green"), enter), { given: { q0: ["green"] } });
  assert.deepEqual(fill(form({ options, multiple: true }), letter("1"), letter("2"), letter("1"), enter), { given: { q0: ["Blue"] } });
  assert.deepEqual(fill(form({ options, multiple: true, isOther: true }), letter(" "), letter("3"), letter("own"), enter), {
    given: { q0: ["Red", "own"] },
  });
  assert.deepEqual(fill(form({}), letter("any text"), enter), { given: { q0: ["any text"] } });
  assert.deepEqual(fill(form({ options }), plainKey("escape")), { cancelled: true });
  assert.deepEqual(questionsAnswer({ q: ["a", "b"] }), { answers: { q: { answers: ["a", "b"] } } });
});

test("several questions one after another, and back", () => {
  const both = form({ options }, {});
  assert.deepEqual(fill(both, letter("1"), letter("x"), enter), { given: { q0: ["Red"], q1: ["x"] } });
  const back = fill(both, letter("1"), { ...plainKey("tab"), shift: true }, letter("2"), letter("x"), enter);
  assert.deepEqual(back, { given: { q0: ["Blue"], q1: ["x"] } });
  const skipped = fill(both, plainKey("tab"), letter("x"), enter);
  assert.ok("kind" in skipped && skipped.index === 0 && skipped.problem === "Choose an answer");
  const empty = fill(form({}), enter);
  assert.ok("kind" in empty && empty.problem !== undefined);
});

function elicited(properties: object, required: string[] = []): Form {
  const params = {
    threadId: "T",
    turnId: null,
    serverName: "s",
    mode: "form",
    message: "m",
    requestedSchema: { type: "object", properties, required },
  };
  const prompt = elicitationPrompt(params as McpServerElicitationRequestParams);
  assert.ok(prompt.kind === "form");
  return prompt;
}

test("forms of MCP servers: every kind of field, checked and typed", () => {
  const prompt = elicited(
    {
      name: { type: "string", minLength: 2, default: "Al" },
      age: { type: "integer", minimum: 1 },
      ok: { type: "boolean" },
      size: { type: "string", enum: ["s", "l"], enumNames: ["Small", "Large"] },
      tags: {
        type: "array",
        items: {
          anyOf: [
            { const: "x", title: "X" },
            { const: "y", title: "Y" },
          ],
        },
      },
      mail: { type: "string", format: "email" },
    },
    ["name", "age"],
  );
  const done = fill(
    prompt,
    letter("b"),
    enter,
    letter("7"),
    enter,
    letter("y"),
    letter("2"),
    letter("1"),
    letter("2"),
    enter,
    letter("a@b.c"),
    enter,
  );
  assert.ok("given" in done);
  assert.deepEqual(elicitationAnswer(prompt, done.given as never), {
    action: "accept",
    content: { name: "Alb", age: 7, ok: true, size: "l", tags: ["x", "y"], mail: "a@b.c" },
  });
  const wrong = fill(elicited({ age: { type: "integer", maximum: 3 } }), letter("2.5"), enter);
  assert.ok("kind" in wrong && wrong.problem === "This must be a whole number");
  const late = fill(elicited({ mail: { type: "string", format: "email" } }), letter("nobody"), enter);
  assert.ok("kind" in late && late.problem === "This must be an e-mail address");
  assert.deepEqual(fill(elicited({ note: { type: "string" } }), enter), { given: {} });
});

test("pages to open, and forms that cannot be shown", () => {
  const base = { threadId: "T", serverName: "s" };
  const page = elicitationPrompt({ ...base, mode: "url", url: "https://x\u202e", message: "m", elicitationId: "e" });
  assert.ok(page.kind === "approval" && page.subject.rows[0]?.[1] === "https://x\\u{202e}");
  assert.deepEqual(answerBy(page, plainKey("escape")), { action: "cancel" });
  assert.equal(elicitationPrompt({ ...base, mode: "openai/form", message: "m", requestedSchema: { widgets: [] } }).kind, "unknown");
  assert.equal(elicitationPrompt({ ...base, mode: "new" } as never).kind, "unknown");
});

test("lists: arrows, digits, a typed filter", () => {
  const items = ["alpha", "beta", "gamma"].map((label) => ({ id: label, label, detail: "", isCurrent: label === "beta" }));
  const press = (picker: Picker, ...keys: readonly Key[]) =>
    keys.reduce<ReturnType<typeof pressPicker>>(
      (now, key) => (now !== undefined && "kind" in now ? (pressPicker(now, key) ?? now) : now),
      picker,
    );
  const plain = createPicker({ title: "t", items });
  assert.deepEqual(press(plain, enter), { chosen: "beta" });
  assert.deepEqual(press(plain, letter("3")), { chosen: "gamma" });
  assert.deepEqual(press(plain, plainKey("down"), plainKey("down"), enter), { chosen: "alpha" });
  assert.deepEqual(press(plain, plainKey("escape")), { cancelled: true });
  const filtered = press(createPicker({ title: "t", items, canFilter: true }), letter("g"), letter("m"));
  assert.ok(filtered !== undefined && "kind" in filtered);
  assert.deepEqual(
    shownItems(filtered).map(({ id }) => id),
    ["gamma"],
  );
  assert.equal(pressPicker(createPicker({ title: "t", items: [] }), enter), undefined);
});

test("a form without fields is done at once", () => {
  assert.deepEqual(pressForm(createForm("t", []), enter), { given: {} });
});
