/** Signing the engine in with a ChatGPT account: in a browser, or on another device with a code. */
import { type ReactElement, useEffect, useState } from "react";
import { useApp, useAppState } from "../../app-context.tsx";
import type { Login, LoginKind } from "../../connection/connection.ts";
import { spelledLine } from "../../parts/requests/spelled.ts";
import { Button } from "../../ui/controls.tsx";
import { useBusy } from "./busy.ts";

export function ChatgptSignIn({ onDone }: { onDone: () => void }): ReactElement | null {
  const { controller, toast } = useApp();
  const { connection } = controller;
  const { busy, run } = useBusy();
  const [login, setLogin] = useState<Login>();
  const [problem, setProblem] = useState<string>();
  const ended = useAppState((state) => state.lastLogin);
  useEffect(() => {
    if (login === undefined || ended?.loginId !== login.loginId) return;
    setLogin(undefined);
    if (!ended.success) return setProblem(`Not signed in: ${ended.error ?? "unknown reason"}`);
    toast("Signed in to OpenAI");
    onDone();
  }, [ended, login, toast, onDone]);
  const start = (kind: LoginKind): Promise<void> =>
    run(async () => {
      setProblem(undefined);
      setLogin(await controller.try(connection.startLogin?.(kind) ?? Promise.reject(new Error("not offered"))));
    });
  const cancel = ({ loginId }: Login): void => {
    setLogin(undefined);
    void controller.try(connection.cancelLogin?.(loginId) ?? Promise.resolve());
  };
  if (connection.startLogin === undefined) return null;
  return (
    <section className="setting-box" aria-label="ChatGPT account">
      <h3>ChatGPT account</h3>
      <div role="status">
        {problem === undefined ? null : <p className="problem">{spelledLine(problem)}</p>}
        {login === undefined ? null : <Steps login={login} />}
      </div>
      <p className="row">
        {login === undefined ? (
          <>
            <Button size="small" busy={busy} disabled={busy} onClick={() => void start("chatgpt")}>
              Sign in with ChatGPT
            </Button>
            <Button size="small" tone="quiet" disabled={busy} onClick={() => void start("chatgptDeviceCode")}>
              On another device, with a code
            </Button>
          </>
        ) : (
          <Button size="small" onClick={() => cancel(login)}>
            Cancel the sign-in
          </Button>
        )}
      </p>
    </section>
  );
}

function Steps({ login: { url, code } }: { login: Login }): ReactElement {
  return (
    <>
      <p>
        <a href={url} target="_blank" rel="noreferrer">
          {code === null ? "Open the sign-in page" : spelledLine(url)}
        </a>{" "}
        {code === null ? "in a browser of the engine's machine. This page waits for it." : "and enter this code:"}
      </p>
      {code === null ? null : (
        <p>
          <code>{spelledLine(code)}</code>
        </p>
      )}
    </>
  );
}
