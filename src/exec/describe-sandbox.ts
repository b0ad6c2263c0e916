/** What confines commands on this machine, in one line for people. Serves the doctor, the page and the terminal alike. */
import type { DescribedSandbox, SandboxState } from "../core/ports/command-runner.ts";

const howToStrengthen = "install bubblewrap and allow unprivileged user namespaces";

export function describeSandbox(state: SandboxState): DescribedSandbox {
  const { engine, text, limits } = state;
  // A refusal names its own fix: which one depends on why.
  if (engine === "none") return { ...state, standing: "refused", line: text, fix: undefined };
  const confined = `commands are confined by ${text}`;
  if (limits.length === 0) return { ...state, standing: "full", line: confined, fix: undefined };
  const name = engine === "landlock" ? "Landlock" : engine;
  return { ...state, standing: "weaker", line: `${confined}. ${name} ${limits.join("; ")}`, fix: howToStrengthen };
}
