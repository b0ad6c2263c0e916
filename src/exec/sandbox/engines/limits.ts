/** What Landlock cannot do that namespaces can. Used by the engine, docs/security.md and the shared suites. */

export interface LandlockLimit {
  /** For people. */
  readonly text: string;
  /** The Landlock version that removes this limit. */
  readonly until?: number;
  /** Cases of the shared suite that cannot pass because of it. */
  readonly cases: readonly string[];
}

export const landlockLimits: readonly LandlockLimit[] = [
  {
    text: "cannot protect .git, .codex, .agents and other names inside a writable folder, so commands that may write ask first",
    // They run writing commands under a policy that never asks, so the commands are refused.
    cases: ["S01", "S12", "S16", "S17", "S20", "S24"],
  },
  { text: "cannot keep modes, owners and times of the user's own files as they are", cases: [] },
  { text: "shows the names of all files and processes, but not the contents of the hidden ones", cases: [] },
  { text: "gives no shared memory (/dev/shm), no new terminals and, without network access, no loopback", cases: [] },
  { text: "cannot let commands reach single hosts, so those of a profile that lists hosts get no network", cases: [] },
  { text: "cannot keep commands from changing the priority and the processors of the user's other processes", cases: [] },
  { text: "may let a process that hides itself outlive its command, still confined", cases: [] },
  { text: "cannot keep commands from sending signals to the user's other processes (Linux before 6.12)", until: 6, cases: [] },
];
