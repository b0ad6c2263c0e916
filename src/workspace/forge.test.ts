import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { repositoryPlace } from "../../test/support/repository-place.ts";
import { parsePullRequest, placeOf } from "./forge.ts";
import { createRepositories } from "./repositories.ts";

const never = new AbortController().signal;

test("a pull request is opened and read with gh, which sees nothing of the repository", async (t) => {
  const p = repositoryPlace(t);
  p.git("remote", "add", "origin", "git@github.com:owner/name.git");
  p.git("commit", "-q", "--allow-empty", "-m", "first");
  p.git("switch", "-q", "-c", "topic");
  const repositories = createRepositories({
    program: () => "/usr/bin/git",
    scratch: path.join(p.root, "scratch"),
    env: { ...p.env, GIT_DIR: p.ws },
  });
  const draft = { title: "--fill a title", body: "the body", base: undefined, draft: true };
  const noForge = createRepositories({
    program: () => "/usr/bin/git",
    scratch: path.join(p.root, "scratch"),
    env: { ...p.env, PATH: path.join(p.root, "none") },
  });
  assert.equal((await noForge.status(p.ws, never))?.forge, null);
  await assert.rejects(noForge.openPullRequest(p.ws, draft, never), /need the program gh/);
  p.program(
    "gh",
    `{ pwd; for a in "$@"; do echo "[$a]"; done; } >> ${p.root}/calls
case "$2" in
  create) cat > ${p.root}/body; echo "Creating pull request" >&2; echo https://github.com/owner/name/pull/7 ;;
  view) [ -e ${p.root}/body ] || { echo "no pull requests found for branch" >&2; exit 1; }
    echo '{"number":7,"url":"https://github.com/owner/name/pull/7","title":"t","state":"OPEN","isDraft":true,"statusCheckRollup":[{"status":"COMPLETED","conclusion":"SUCCESS"},{"status":"IN_PROGRESS","conclusion":""}]}' ;;
esac`,
  );
  assert.equal((await repositories.status(p.ws, never))?.forge, "gh");
  assert.equal(await repositories.pullRequest(p.ws, never), null);
  const made = await repositories.openPullRequest(p.ws, draft, never);
  assert.deepEqual(made, { url: "https://github.com/owner/name/pull/7", number: 7, title: "t", state: "draft", checks: "pending" });
  const calls = readFileSync(path.join(p.root, "calls"), "utf8");
  assert.match(
    calls,
    /\[pr\]\n\[create\]\n\[--repo=github.com\/owner\/name\]\n\[--head=topic\]\n\[--base=main\]\n\[--title=--fill a title\]\n\[--body-file=-\]\n\[--draft\]/,
  );
  assert.ok(!calls.includes(p.ws), "it does not run in the repository");
  assert.equal(readFileSync(path.join(p.root, "body"), "utf8"), "the body");
  p.program("gh", "echo 'gh: not signed in' >&2; exit 4");
  await assert.rejects(repositories.pullRequest(p.ws, never), /not signed in/);
  p.git("switch", "-q", "main");
  await assert.rejects(repositories.openPullRequest(p.ws, draft, never), /to itself/);
});

test("places and states are read from what remotes and programs say", () => {
  for (const [url, place] of [
    ["https://user:token@github.com/o/n.git", "github.com/o/n"],
    ["git@gitlab.example.org:group/sub/n.git", "gitlab.example.org/group/sub/n"],
    ["ssh://git@host:2222/o/n", "host/o/n"],
    ["/srv/n.git", undefined],
    ["https://host/-o/n", undefined],
    ["host:n", undefined],
  ] as const)
    assert.equal(placeOf(url), place, url);
  const gh = (checks: unknown, more = {}) =>
    parsePullRequest("gh", JSON.stringify({ number: 1, url: "https://h/1", state: "OPEN", statusCheckRollup: checks, ...more }));
  assert.equal(gh([])?.checks, "none");
  assert.equal(gh([{ conclusion: "SUCCESS" }, { state: "SUCCESS" }])?.checks, "passed");
  assert.equal(gh([{ conclusion: "SUCCESS" }, { conclusion: "FAILURE" }])?.checks, "failed");
  assert.equal(gh([])?.state, "open");
  assert.equal(gh([], { state: "MERGED" })?.state, "merged");
  assert.equal(gh([], { state: "CLOSED", isDraft: true })?.state, "closed");
  const lab = parsePullRequest(
    "glab",
    JSON.stringify({ iid: 3, web_url: "https://g/3", state: "opened", draft: true, head_pipeline: { status: "running" } }),
  );
  assert.deepEqual([lab?.number, lab?.state, lab?.checks], [3, "draft", "pending"]);
  for (const odd of ["", "null", "[]", '{"url":"javascript:x","number":1}', '{"url":7}']) assert.equal(parsePullRequest("gh", odd), null);
});
