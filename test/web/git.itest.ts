/** A day's work with a repository on the page: review like git, undo with files, commit, push and pull request, and a worktree; real git, a bare remote on disk, a stand-in for gh. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { checkAccessibility, picture, until, watchConsole } from "./page.ts";
import { composer, idle, Stage, send, sizes } from "./stage.ts";

const skip = { skip: existsSync(process.env["PARLEY_CHROMIUM"] ?? "/usr/bin/chromium") ? false : "no Chromium on this machine" };

const numbered = (changed: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 24 }, (_, i) => `${changed[i + 1] ?? `line ${i + 1}`}\n`).join("");
const edit = (from: string, to: string): string => `*** Begin Patch\\n*** Update File: count.txt\\n@@\\n-${from}\\n+${to}\\n*** End Patch`;
const scenario = `
turns:
  - user: two places
    steps:
      - patch: "${edit("line 3", "line three")}"
      - patch: "${edit("line 20", "line twenty")}"
      - patch: "*** Begin Patch\\n*** Add File: notes.md\\n+# Notes\\n*** End Patch"
      - say: Both places changed.
  - user: third place
    steps:
      - patch: "${edit("line 12", "line twelve")}"
      - say: The third place changed.
  - user: /git commit message/
    steps:
      - say: "Count in words\\n\\nNumbers were hard to read aloud."
  - user: Please address
    steps:
      - say: I have read the comments.
  - - say: Nothing to do.
`;

let stage: Stage;
let page: Page;
let bin = "";
let complaints: string[] = [];
const file = (name: string): string => path.join(stage.workspace, name);
const content = (name: string): string | undefined => (existsSync(file(name)) ? readFileSync(file(name), "utf8") : undefined);
const gitIn = (cwd: string, ...args: string[]): string =>
  execFileSync("git", args, { cwd, env: { PATH: process.env["PATH"], HOME: stage.userHome }, encoding: "utf8", stdio: "pipe" });
const git = (...args: string[]): string => gitIn(stage.workspace, ...args);
const panel = (): Locator => page.getByRole("complementary", { name: "Session details" });
const dialog = (): Locator => page.getByRole("dialog");
const said = async (text: string): Promise<void> => {
  await page.getByText(text, { exact: true }).waitFor();
  await idle(page);
};
/** Patches are asked about in this mode; the second and later ones of a turn too. */
const allowAll = async (text: string): Promise<void> => {
  const done = page.getByText(text, { exact: true });
  const allow = page.getByRole("button", { name: /^Allow once/ });
  for (let i = 0; i < 5; i++) {
    await allow.or(done).first().waitFor();
    if ((await done.count()) > 0) break;
    const card = await page.locator("[data-request]").first().getAttribute("data-request");
    await allow.first().click();
    await page.locator(`[data-request="${card}"]`).waitFor({ state: "detached" });
  }
  await said(text);
};
const scope = (name: string): Promise<void> => panel().getByRole("button", { name, exact: true }).click();
const group = (name: string): Locator => panel().getByRole("region", { name, exact: true });
/** The same screens are tried at every size by screens.itest.ts; here they are full of changes. */
const views = [
  ["desktop", "light", "all"],
  ["phone", "dark", "colours"],
  ...(process.env["PARLEY_SCREENS"] === undefined
    ? []
    : ([
        ["desktop", "dark"],
        ["phone", "light"],
      ] as const)),
] as const;
const looks = async (name: string): Promise<void> => {
  for (const [size, colorScheme, rules] of views) {
    await page.setViewportSize(sizes[size]);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    if (rules !== undefined) await checkAccessibility(page, `${name}, ${size}, ${colorScheme}`, rules);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth > innerWidth"), false, `${name} at ${size} size`);
    await picture(page, `git-${name}-${size}-${colorScheme}`);
  }
  await page.setViewportSize(sizes.desktop);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
};

before(async () => {
  if (skip.skip !== false) return;
  bin = mkdtempSync(path.join(tmpdir(), "parley-gh-"));
  // The engine runs in this process's own test group: its PATH is the one that it gets.
  process.env["PATH"] = `${bin}:${process.env["PATH"]}`;
  stage = await Stage.open(scenario);
  writeFileSync(
    path.join(stage.userHome, ".gitconfig"),
    `[user]\n\tname = Ada\n\temail = ada@example.invalid\n[init]\n\tdefaultBranch = main\n[url "${stage.userHome}/remote.git"]\n\tinsteadOf = https://github.com/ada/count.git\n`,
  );
  gitIn(stage.userHome, "init", "-q", "--bare", "remote.git");
  git("init", "-q");
  writeFileSync(file("count.txt"), numbered());
  git("add", ".");
  git("commit", "-qm", "first");
  git("remote", "add", "origin", "https://github.com/ada/count.git");
  git("push", "-q", "origin", "main");
  git("fetch", "-q");
  page = await stage.newPage();
  complaints = watchConsole(page);
});
after(async () => {
  await stage?.close();
  if (bin !== "") rmSync(bin, { recursive: true, force: true });
});

test("changes are reviewed like git: scopes, staging and reverting a file or a part, comments in every scope", skip, async () => {
  await stage.begin(page, "change two places");
  await allowAll("Both places changed.");
  await page.getByRole("button", { name: "Changes", exact: true }).click();
  await panel().getByRole("row").filter({ hasText: "line three" }).waitFor();
  await scope("Working tree");
  await group("Not staged").getByRole("region", { name: "New: notes.md, not staged" }).waitFor();
  const count = group("Not staged").getByRole("region", { name: "Changed: count.txt, not staged" });
  assert.match(await count.locator(".diff-count").innerText(), /\+2.*−2/s);

  await count.getByRole("button", { name: "Stage part 2" }).click();
  await group("Staged").getByRole("row").filter({ hasText: "line twenty" }).waitFor();
  assert.match(git("diff", "--cached"), /^\+line twenty$/m);
  assert.doesNotMatch(git("diff", "--cached"), /line three/);
  await looks("working-tree");
  await group("Staged").getByRole("button", { name: "Unstage count.txt" }).click();
  await group("Staged").waitFor({ state: "detached" });
  assert.equal(git("diff", "--cached"), "");

  await count.getByRole("button", { name: "Revert part 1" }).click();
  await panel().getByRole("list", { name: "Taken back" }).getByText("Part 1 of count.txt").waitFor();
  await until(() => content("count.txt") === numbered({ 20: "line twenty" }), "the first part is taken back");
  await group("Not staged").getByRole("button", { name: "Revert notes.md" }).click();
  await until(() => content("notes.md") === undefined, "the new file is gone");
  await looks("taken-back");
  for (const name of ["notes.md", "Part 1 of count.txt"])
    await panel()
      .getByRole("list", { name: "Taken back" })
      .getByRole("listitem")
      .filter({ hasText: name })
      .getByRole("button", { name: "Bring back" })
      .click();
  await panel().getByRole("list", { name: "Taken back" }).waitFor({ state: "detached" });
  assert.deepEqual([content("notes.md"), content("count.txt")], ["# Notes\n", numbered({ 3: "line three", 20: "line twenty" })]);

  const comment = async (row: string, line: number, text: string): Promise<void> => {
    await panel().getByRole("row").filter({ hasText: row }).first().hover();
    await panel()
      .getByRole("button", { name: `Comment on line ${line}` })
      .first()
      .click();
    await panel().getByRole("textbox", { name: "Comment" }).fill(text);
    await panel().getByRole("button", { name: "Add comment" }).click();
  };
  await comment("line three", 3, "in the tree");
  await scope("Branch");
  await panel()
    .getByRole("heading", { name: /^Since origin\/main/ })
    .waitFor();
  await comment("line twenty", 20, "on the branch");
  await scope("Session");
  await panel().getByText("in the tree").waitFor();
  await scope("Last turn");
  await comment("# Notes", 1, "in the turn");
  await panel().getByRole("button", { name: "Revert part 1" }).first().waitFor();
  await panel().getByText("3 comments").waitFor();
  await panel().getByRole("button", { name: "Send as one message" }).click();
  const turn = page.locator(".turn").last();
  for (const text of ["line 3: in the tree", "line 20: on the branch", "line 1: in the turn"]) await turn.getByText(text).first().waitFor();
  await idle(page);
});

test("a turn of the past is undone with its files: conflicts are named before, and the prompt comes back", skip, async () => {
  await send(page, "and the third place");
  await allowAll("The third place changed.");
  const menu = async (text: string, entry: string): Promise<void> => {
    const turn = page.locator(".turn", { hasText: text }).first();
    await turn.hover();
    await turn.getByRole("button", { name: "Turn", exact: true }).click();
    await page.getByRole("menuitem", { name: entry }).click();
  };
  writeFileSync(file("notes.md"), "# Mine\n");
  await menu("change two places", "Go back to before this turn…");
  await dialog().getByText("Take back the last 3 turns").waitFor();
  await dialog().getByText("Conversation and files").click();
  await dialog().getByText("notes.md: it was changed since the turn").waitFor();
  assert.equal(content("notes.md"), "# Mine\n");
  await looks("undo-conflict");
  await dialog().getByRole("button", { name: "Put them back all the same" }).waitFor();
  await page.keyboard.press("Escape");

  await menu("and the third place", "Go back to before this turn…");
  await dialog().getByText("Only files").click();
  await dialog().getByText("is put back").waitFor();
  await dialog().getByRole("button", { name: "Go back", exact: true }).click();
  await dialog().waitFor({ state: "detached" });
  await until(() => content("count.txt") === numbered({ 3: "line three", 20: "line twenty" }), "the file of the last turn is put back");

  await page.keyboard.press("Alt+z");
  await dialog().getByText("Only the conversation").click();
  await dialog().getByRole("button", { name: "Go back", exact: true }).click();
  await dialog().waitFor({ state: "detached" });
  await page.getByText("The third place changed.", { exact: true }).waitFor({ state: "detached" });
  await until(async () => (await composer(page).inputValue()) === "and the third place", "the prompt is back in the composer");
  await send(page, "and the third place, please");
  await allowAll("The third place changed.");

  const here = page.url();
  await menu("and the third place, please", "Fork before it and edit the prompt");
  await until(() => page.url() !== here, "the fork is open");
  await page.getByText("Both places changed.", { exact: true }).waitFor();
  await until(async () => (await composer(page).inputValue()) === "and the third place, please", "its prompt is in the fork's composer");
  await composer(page).fill("");
  await page.goto(here);
  await page.getByText("The third place changed.", { exact: true }).waitFor();
});

test(
  "a commit is drafted by the agent, pushed from a new branch, and opened as a pull request whose checks are in the list",
  skip,
  async () => {
    const checks = (conclusion: string): void =>
      writeFileSync(
        path.join(bin, "view.json"),
        JSON.stringify({
          ...{ number: 12, url: "https://github.com/ada/count/pull/12", title: "Count in words", state: "OPEN", isDraft: false },
          statusCheckRollup: [{ status: conclusion === "" ? "IN_PROGRESS" : "COMPLETED", conclusion }],
        }),
      );
    writeFileSync(
      path.join(bin, "gh"),
      `#!/bin/sh\necho "$*" >> ${bin}/calls\ncase "$2" in\ncreate) cat > ${bin}/body; touch ${bin}/made; echo https://github.com/ada/count/pull/12 ;;\nview) [ -e ${bin}/made ] || { echo "no pull requests found" >&2; exit 1; }; cat ${bin}/view.json ;;\nesac\n`,
    );
    chmodSync(path.join(bin, "gh"), 0o755);
    checks("");
    await page.keyboard.press("Alt+k");
    await dialog().getByText("All changes: 2 files").waitFor();
    await page.locator("#commit-message:focus").waitFor();
    await dialog().getByRole("button", { name: "Draft it" }).click();
    const message = dialog().getByLabel("Message", { exact: true });
    await until(async () => (await message.inputValue()) === "Count in words\n\nNumbers were hard to read aloud.", "the draft is there");
    await dialog().getByText("New branch").click();
    await dialog().getByPlaceholder("name/of-the-branch").fill("main..");
    await dialog().getByRole("button", { name: "Commit", exact: true }).click();
    await dialog().getByText("is not a name that git accepts").waitFor();
    await dialog().getByPlaceholder("name/of-the-branch").fill("words");
    await dialog().getByText("Push and open a pull request").click();
    await looks("commit");
    await message.press("Control+Enter");
    await page.getByText("Committed on words, pushed to origin, pull request #12 is open").waitFor();
    assert.equal(git("log", "-1", "--format=%an: %B").trim(), "Ada: Count in words\n\nNumbers were hard to read aloud.");
    assert.deepEqual([git("symbolic-ref", "--short", "HEAD").trim(), git("status", "--porcelain")], ["words", ""]);
    assert.equal(gitIn(path.join(stage.userHome, "remote.git"), "rev-parse", "words"), git("rev-parse", "HEAD"));
    assert.match(
      readFileSync(path.join(bin, "calls"), "utf8"),
      /pr create --repo=github.com\/ada\/count --head=words --base=main --title=Count in words/,
    );
    assert.equal(readFileSync(path.join(bin, "body"), "utf8"), "Numbers were hard to read aloud.");

    const link = page.getByRole("link", { name: /#12/ });
    await link.getByText("checks are running").waitFor();
    assert.equal(await link.getAttribute("href"), "https://github.com/ada/count/pull/12");
    await page.locator(".session-place").getByText("words").waitFor();
    checks("FAILURE");
    await until(async () => {
      await page.evaluate("dispatchEvent(new Event('focus'))");
      return (await page.locator(".session-row", { hasText: "pull request, checks failed" }).count()) === 1;
    }, "the row shows that the checks failed");
    checks("SUCCESS");
    await until(async () => {
      await page.evaluate("dispatchEvent(new Event('focus'))");
      return (await link.getByText("checks passed").count()) === 1;
    }, "the header shows that the checks passed");
    await looks("pull-request");
    await page.keyboard.press("Alt+k");
    await dialog().getByText("Nothing to commit on").waitFor();
    await page.keyboard.press("Escape");
  },
);

test("a session works in a worktree of its own, over a restart, and is merged back or discarded", skip, async () => {
  git("switch", "-q", "main");
  const begin = async (): Promise<string> => {
    await stage.home(page);
    const own = page.getByRole("button", { name: "Own worktree" });
    await own.click();
    if (!existsSync(path.join(bin, "seen"))) await looks("home");
    writeFileSync(path.join(bin, "seen"), "");
    assert.equal(await own.getAttribute("aria-pressed"), "true");
    await send(page, "change two places");
    await allowAll("Both places changed.");
    return /worktree (\S+)\n/.exec(git("worktree", "list", "--porcelain").split("\n\n")[1] ?? "")?.[1] ?? assert.fail("a worktree");
  };
  const tree = await begin();
  assert.deepEqual([content("count.txt"), content("notes.md")], [numbered(), undefined], "the person's own files are untouched");
  assert.equal(readFileSync(path.join(tree, "notes.md"), "utf8"), "# Notes\n");
  await stage.restart();
  await page.reload();
  await page.locator(".session-row", { hasText: "two places" }).getByRole("img", { name: "In a worktree of its own" }).first().waitFor();
  await page.getByRole("button", { name: "Worktree", exact: true }).click();
  await dialog().getByText("2 files changed and not committed").waitFor();
  await dialog().getByRole("button", { name: "Commit…" }).click();
  await dialog().getByLabel("Message", { exact: true }).fill("Words in a worktree");
  await dialog().getByRole("button", { name: "Commit", exact: true }).click();
  await page.getByText(/^Committed on parley\//).waitFor();

  writeFileSync(file("count.txt"), numbered({ 3: "mine" }));
  await page.keyboard.press("Alt+w");
  await dialog().getByRole("button", { name: "Merge into main" }).click();
  await dialog()
    .getByText(/nothing was changed: count.txt \(has changes in/)
    .waitFor();
  await looks("worktree");
  git("checkout", "-q", "--", "count.txt");
  await dialog().getByRole("button", { name: "Merge into main" }).click();
  await page.getByText("Merged into main; the session is in the archive").waitFor();
  assert.deepEqual([content("notes.md"), git("log", "-1", "--format=%s").trim()], ["# Notes\n", "Words in a worktree"]);
  assert.deepEqual([existsSync(tree), git("branch", "--list", "parley/*")], [false, ""]);

  git("reset", "-q", "--hard", "HEAD^");
  const second = await begin();
  await page.getByRole("button", { name: "Worktree", exact: true }).click();
  await dialog().getByRole("button", { name: "Discard…" }).click();
  await dialog().getByRole("button", { name: "Discard everything in it" }).click();
  await page.getByText(/a copy is kept as refs\/parley\/discarded\//).waitFor();
  assert.equal(existsSync(second), false);
  const kept = git("for-each-ref", "--format=%(refname)", "refs/parley").trim();
  assert.equal(git("show", `${kept}:notes.md`), "# Notes\n");
  assert.deepEqual(complaints, []);
});
