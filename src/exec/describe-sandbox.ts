/** What confines commands on this machine, in one line for people. Serves the doctor, the page and the terminal alike. */
import type { DescribedSandbox, SandboxState } from "../core/ports/command-runner.ts";

const howToStrengthen = "install bubblewrap and allow unprivileged user namespaces";

export function describeSandbox(state: SandboxState): DescribedSandbox {
  const { engine, text, limits } = state;
  // A refusal names its own fix: which one depends on why.
  if (engine === "none") return { ...state, standing: "refused", line: text, fix: undefined };
  const confined = `commands are confined by ${text}`;
  if (limits.length === 0) return { ...state, standing: "full", line: confined, fix: undefined };
  if (engine === "landlock")
    return { ...state, standing: "weaker", line: `${confined}. Landlock ${limits.join("; ")}`, fix: howToStrengthen };
  // The best there is but for a second layer, which only another kernel would bring.
  return { ...state, standing: "full", line: `${confined}. It ${limits.join("; ")}`, fix: undefined };
}
