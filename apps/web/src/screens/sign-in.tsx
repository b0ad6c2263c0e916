/** Signing in: the one-time link that the manager printed, or its code by hand. */
import { type FormEvent, type ReactElement, useEffect, useRef, useState } from "react";
import { useApp, useAppState } from "../app-context.tsx";
import { Refused } from "../connection/connection.ts";
import { decode } from "../state/router.ts";
import { Button } from "../ui/controls.tsx";
import { Logo } from "../ui/icons.tsx";

export function SignIn(): ReactElement {
  const { controller } = useApp();
  const [code, setCode] = useState("");
  const [refused, setProblem] = useState<string>();
  const why = useAppState((s) => s.signedOutBecause);
  const problem = refused ?? why ?? undefined;
  const [busy, setBusy] = useState(false);
  const enter = async (text: string): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await controller.connection.signIn(codeIn(text), deviceName());
      controller.enter();
    } catch (error) {
      setProblem(error instanceof Refused ? error.message : "The manager cannot be reached.");
      controller.store.dispatch({ type: "phase", phase: "signedOut" });
    } finally {
      setBusy(false);
    }
  };
  const tried = useRef(false);
  useEffect(() => {
    const fromLink = /^#sign-in=(.+)$/.exec(location.hash)?.[1];
    if (fromLink === undefined || tried.current) return;
    tried.current = true;
    // The code works once; it must not stay in the history.
    history.replaceState(null, "", location.pathname);
    void enter(decode(fromLink));
  });
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <Logo size={48} />
        <h1>Sign in to Parley</h1>
        <p>
          Open the link that <code>parley manager</code> printed when it started, or paste it here. A link works once; a signed-in device
          can make more of them.
        </p>
        <form
          onSubmit={(e: FormEvent) => {
            e.preventDefault();
            if (code.trim() !== "") void enter(code);
          }}
        >
          <label className="field">
            <span>Sign-in link or code</span>
            <input
              type="text"
              value={code}
              onChange={(e) => setCode(e.target.value)}
              autoComplete="one-time-code"
              spellCheck={false}
              aria-invalid={problem !== undefined}
            />
          </label>
          {problem === undefined ? null : (
            <p className="problem" role="alert">
              {problem}
            </p>
          )}
          <Button type="submit" tone="primary" busy={busy} disabled={busy || code.trim() === ""}>
            Sign in
          </Button>
        </form>
        <p className="hint">
          No link at hand? Run <code>parley manager link</code> on the machine where it runs.
        </p>
      </div>
    </main>
  );
}

/** People paste the whole link as often as the code. */
const codeIn = (text: string): string => {
  const found = /sign-in=([^\s&]+)/.exec(text)?.[1];
  return found === undefined ? text.trim() : decode(found);
};

function deviceName(): string {
  const agent = navigator.userAgent;
  const browser = /Edg\//.test(agent)
    ? "Edge"
    : /Firefox\//.test(agent)
      ? "Firefox"
      : /Chrome\//.test(agent)
        ? "Chrome"
        : /Safari\//.test(agent)
          ? "Safari"
          : "Browser";
  const system = /Android/.test(agent)
    ? "Android"
    : /iPhone|iPad/.test(agent)
      ? "iOS"
      : /Mac/.test(agent)
        ? "Mac"
        : /Windows/.test(agent)
          ? "Windows"
          : /Linux/.test(agent)
            ? "Linux"
            : "";
  return system === "" ? browser : `${browser} on ${system}`;
}
