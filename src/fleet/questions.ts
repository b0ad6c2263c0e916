/** The QuestionLog of a team in a fleet. Every write compares the claim, so that a worker that lost a thread neither asks nor begins anything. */
import type { CallEntry, QuestionLog } from "../core/ports/open-questions.ts";
import { ThreadLost } from "../core/ports/thread-store.ts";
import { lineOfEntry, linesOfQuestions, questionsIn } from "../store/rollout/question-lines.ts";
import type { Held } from "./leases.ts";
import type { WorkerState } from "./worker-state.ts";

const claimed = "id = $1 and holder = $2 and boot = $3 and epoch = $4";

export function createSharedQuestions(worker: WorkerState, team: string): QuestionLog {
  const held = (threadId: string): Held => {
    const found = worker.leases.find(threadId);
    if (found === undefined || found.team !== team) throw new ThreadLost(threadId);
    return found;
  };
  return {
    async write(threadId, questions) {
      await worker.fenced(
        held(threadId),
        `with t as (update parley.threads set state = $6 where ${claimed} returning id)
         insert into parley.questions (thread, lines) select id, $5 from t
         on conflict (thread) do update set lines = excluded.lines returning thread`,
        [linesOfQuestions(questions), stateAfter(questions.calls.at(-1))],
      );
    },
    async add(threadId, entry) {
      const line = lineOfEntry(entry);
      if (line === undefined) return;
      await worker.fenced(
        held(threadId),
        `with t as (update parley.threads set state = $6 where ${claimed} returning id)
         update parley.questions q set lines = q.lines || $5 from t where q.thread = t.id returning q.thread`,
        [`${line}\n`, stateAfter(entry)],
      );
    },
    async read(threadId) {
      const rows = await worker.query<{ lines: string }>(
        "select q.lines from parley.questions q join parley.threads t on t.id = q.thread where q.thread = $1 and t.team = $2",
        [threadId, team],
      );
      return rows[0] && questionsIn(rows[0].lines);
    },
    async clear(threadId) {
      await worker.fenced(
        held(threadId),
        `with t as (
           update parley.threads set state = case state when 'waiting' then 'active' else state end where ${claimed} returning id
         ), gone as (delete from parley.questions q using t where q.thread = t.id)
         select id from t`,
      );
    },
  };
}

/** Waits for a person from the question on, until it is answered or its action begins. */
const stateAfter = (entry: CallEntry | undefined): "waiting" | "active" => (entry?.type === "asked" ? "waiting" : "active");
