/** Describes in one line what confines commands on this machine. Used by the doctor, the page and the terminal client. */
import type { DescribedSandbox, SandboxState } from "../core/ports/command-runner.ts";

const howToStrengthen = "install bubblewrap and allow unprivileged user namespaces";

export function describeSandbox(state: SandboxState): DescribedSandbox {
  const { engine, text, limits } = state;
  // A refusal already names its fix, which depends on the reason.
  if (engine === "none") return { ...state, standing: "refused", line: text, fix: undefined };
  const confined = `commands are confined by ${text}`;
  if (limits.length === 0) return { ...state, standing: "full", line: confined, fix: undefined };
  if (engine === "landlock")
    return { ...state, standing: "weaker", line: `${confined}. Landlock ${limits.join("; ")}`, fix: howToStrengthen };
  // The best available, except for a second layer that only another kernel would provide.
  return { ...state, standing: "full", line: `${confined}. It ${limits.join("; ")}`, fix: undefined };
}
