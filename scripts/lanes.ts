/** Runs jobs a few at a time, for scripts with more work than one core can do. */

/** The first failure is thrown once the running jobs have ended; no further one is started. */
export async function inLanes<Job>(lanes: number, jobs: readonly Job[], run: (job: Job) => Promise<void>): Promise<void> {
  const waiting = [...jobs];
  const failures: unknown[] = [];
  const lane = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined && failures.length === 0; job = waiting.shift())
      await run(job).catch((error: unknown) => failures.push(error));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  if (failures.length > 0) throw failures[0];
}
