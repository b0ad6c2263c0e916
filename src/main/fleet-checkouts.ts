/** The checkouts of a fleet's worker, for threads that ask for a repository. */
import path from "node:path";
import type { Checkouts } from "../core/ports/thread-workspace.ts";
import { findSystemProgram } from "../lib/program.ts";
import type { Protocol } from "../workspace/remote-repository.ts";
import { createCheckouts } from "../workspace/thread-checkouts.ts";
import { worktreesFolder } from "../workspace/worktrees.ts";

const known: readonly Protocol[] = ["https", "ssh", "file"];

/**
 * They are at the same place on each machine with the same home folder, so that paths in a thread's messages stay right when it moves.
 * `settings`: the table `fleet` of this machine's own config.
 */
export function openCheckouts(codexHome: string, env: Readonly<Record<string, string | undefined>>, settings: () => unknown): Checkouts {
  return createCheckouts({
    ...{ program: () => findSystemProgram("git"), scratch: path.join(codexHome, "parley", "cache"), env },
    root: path.join(path.dirname(worktreesFolder(env)), "fleet"),
    protocols: () => protocolsIn(settings()),
  });
}

function protocolsIn(settings: unknown): readonly Protocol[] {
  const given = typeof settings === "object" && settings !== null && "git_protocols" in settings ? settings.git_protocols : undefined;
  return Array.isArray(given) ? known.filter((protocol) => given.includes(protocol)) : known;
}
