/** `review/start`: the automated reviewer, in the thread itself or in a fork of it. */

import type { LiveThread } from "../core/thread/thread.ts";
import { reviewTurn, targetLabel } from "../core/turn/review.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { ReviewTarget, reviewRequests } from "../protocol/review.ts";
import type { Turn } from "../protocol/turn.ts";
import { type Call, calledBy, type HandlersFor } from "./app.ts";
import { readRecords } from "./stored-thread.ts";
import { announceConfigChanges } from "./thread-settings.ts";
import { noteIfProgram } from "./tour.ts";

export const reviewHandlers: HandlersFor<typeof reviewRequests> = {
  async "review/start"(params, call) {
    const target = checked(params.target);
    const parent = call.app.threads.require(params.threadId);
    if ((params.delivery as string | null | undefined) !== "detached") {
      await parent.makeRoom();
      return start(parent, target, call);
    }
    const thread = await forkFor(parent, call);
    call.after(() => call.app.subscriptions.toAll("thread/started", { thread: thread.toWire() }));
    return start(thread, target, call);
  },
};

function start(thread: LiveThread, target: ReviewTarget, { after, app, session }: Call): { turn: Turn; reviewThreadId: string } {
  noteIfProgram(thread, session);
  const { turn, begin } = thread.startSpecial("review", (running) => reviewTurn(running, target));
  after(() => {
    announceConfigChanges(thread, app);
    begin();
  });
  // The documents' clients show the task, today's its subject.
  const text = session.dialect === "0.166" ? targetLabel(target) : `Review ${targetLabel(target)}`;
  const item = { type: "userMessage" as const, id: turn.id, content: [{ type: "text" as const, text, text_elements: [] }] };
  return { turn: { ...turn.toWire("inProgress", "empty"), items: [item] }, reviewThreadId: thread.id };
}

async function forkFor(parent: LiveThread, { app, session }: Call): Promise<LiveThread> {
  app.subscriptions.checkSubscriptionLimit(session);
  const { records, meta } = await readRecords(parent.id, app);
  const { thread } = await app.threads.fork(
    records,
    { id: parent.id, meta },
    {
      ...parent.settings,
      collaborationMode: null,
      cwd: parent.settings.cwd,
      ...calledBy(session),
      source: { subAgent: "review" },
      ephemeral: parent.ephemeral,
    },
  );
  app.subscriptions.subscribe(session, thread.id);
  return thread;
}

function checked(target: ReviewTarget): ReviewTarget {
  if (target.type === "commit" && target.sha.trim() === "") throw invalidRequest("sha must not be empty");
  if (target.type === "baseBranch" && target.branch.trim() === "") throw invalidRequest("branch must not be empty");
  if (target.type === "custom" && target.instructions.trim() === "") throw invalidRequest("instructions must not be empty");
  return target;
}
