/** The sandbox on the engine's machine: a line in the settings, and a banner if it is weaker than it could be. */
import type { ReactElement } from "react";
import { useApp } from "../app-context.tsx";
import type { SandboxFacts } from "../connection/connection.ts";

export function SandboxBanner(): ReactElement | null {
  const { sandbox } = useApp();
  if (sandbox === undefined || sandbox.standing === "full") return null;
  const isRefused = sandbox.standing === "refused";
  return (
    <details className={`banner banner-sandbox ${isRefused ? "banner-problem" : "banner-info"}`}>
      <summary>
        {isRefused ? "Commands are refused: this machine has no sandbox." : "The sandbox of this machine is weaker than it could be."}
      </summary>
      <p>{wholeText(sandbox)}</p>
    </details>
  );
}

export function SandboxLine(): ReactElement | null {
  const { sandbox } = useApp();
  if (sandbox === undefined) return null;
  return (
    <>
      <h3>Sandbox</h3>
      <p className="hint">{wholeText(sandbox)}</p>
    </>
  );
}

const wholeText = ({ line, fix }: SandboxFacts): string => `${sentence(line)}${fix ? ` ${sentence(fix)}` : ""}`;
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
