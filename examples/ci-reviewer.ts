/** A step of CI: the agent reviews the changes, and the step fails when a finding has priority 0 or 1. `ci-reviewer.ts [BASE_BRANCH]` */
import { spawnClient } from "@parley-agent/parley/client";

const [branch] = process.argv.slice(2);
const target = branch === undefined ? { type: "uncommittedChanges" as const } : { type: "baseBranch" as const, branch };

using client = await spawnClient({ clientInfo: { name: "ci-reviewer", title: null, version: "1.0.0" } });
const { thread } = await client.call("thread/start", {
  cwd: process.cwd(),
  sandbox: "read-only",
  approvalPolicy: "never",
  ephemeral: true,
});

const review = new Promise<string>((resolve, reject) => {
  let text = "";
  client.on("item/completed", ({ item }) => {
    if (item.type === "exitedReviewMode") text = item.review;
  });
  client.on("turn/completed", ({ turn }) => {
    if (turn.status === "completed") resolve(text);
    else reject(new Error(turn.error?.message ?? `the review was ${turn.status}`));
  });
});
await client.call("review/start", { threadId: thread.id, target, delivery: "inline" });
const text = await review;
console.log(text);

/** Findings are told as `- [P1] title — file:lines`. */
const serious = [...text.matchAll(/^\s*-\s*(?:\[ \]\s*)?\[P([01])\]/gm)];
console.error(`${serious.length} serious findings`);
process.exitCode = serious.length === 0 ? 0 : 1;
