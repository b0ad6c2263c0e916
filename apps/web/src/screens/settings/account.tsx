/** Which account and models the engine uses. */
import { type ReactElement, useCallback, useId, useState } from "react";
import { allows, useApp } from "../../app-context.tsx";
import { type Account, Refused } from "../../connection/connection.ts";
import { Button } from "../../ui/controls.tsx";
import { Limits } from "../side-panel.tsx";
import { Shown, useLoaded } from "./load.tsx";

function accountText(account: Account): string {
  const a = account.account;
  if (a == null) return account.requiresOpenaiAuth ? "Not signed in" : "No account needed for this provider";
  if (a.type === "apiKey") return "An API key";
  if (a.type === "chatgpt") return `${a.email ?? "ChatGPT account"} (${a.planType})`;
  return a.type;
}

export function AccountTab(): ReactElement {
  const { controller, models, offlineTour, reload, scope } = useApp();
  const { connection } = controller;
  const account = useLoaded(useCallback(() => connection.account(), [connection]));
  const limits = useLoaded(useCallback(() => connection.rateLimits().catch(() => null), [connection]));
  const renew = (): void => {
    account.reload();
    reload();
  };
  const admin = allows(scope, "admin");
  const known = account.value?.account ?? null;
  return (
    <>
      {offlineTour ? (
        <section className="setting-box">
          <h3>Set up a model</h3>
          {admin && connection.signInWithKey !== undefined ? <KeyForm onDone={renew} /> : null}
          <p className="hint">
            Parley speaks to any provider: sign in with <code>parley login</code>, set a key such as <code>ANTHROPIC_API_KEY</code>, or name
            a provider under <code>[model_providers]</code> in config.toml, then start the manager again.
          </p>
        </section>
      ) : null}
      <section className="setting-box">
        <h3>Account</h3>
        <Shown of={account}>{(value) => <p>{accountText(value)}</p>}</Shown>
        {limits.value == null ? null : <Limits limits={limits.value} />}
        {known === null || !admin || connection.dropAccount === undefined ? null : (
          <p>
            <Button
              size="small"
              onClick={() => void controller.try(connection.dropAccount?.() ?? Promise.resolve(), "Signed out").then(renew)}
            >
              Sign the engine out
            </Button>
          </p>
        )}
      </section>
      <section className="setting-box">
        <h3>Models</h3>
        {models.length === 0 ? <p className="hint">The engine lists no models.</p> : null}
        <ul className="tool-list">
          {models
            .filter((m) => !m.hidden)
            .map((m) => (
              <li key={m.id}>
                <strong>{m.displayName}</strong> {m.isDefault ? <span className="tag">default</span> : null}{" "}
                <span className="hint">{m.description}</span>
              </li>
            ))}
        </ul>
      </section>
    </>
  );
}

/** The key goes to the engine, which keeps it as `parley login` does; the page forgets it at once. */
function KeyForm({ onDone }: { onDone: () => void }): ReactElement {
  const { controller, toast } = useApp();
  const [key, setKey] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const id = useId();
  const save = async (check: boolean): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      const isChecked = await controller.connection.signInWithKey?.(key.trim(), check);
      if (check && isChecked !== true)
        toast("The key is kept, but this engine could not check it: a first message shows whether it works.", "problem");
      else toast(check ? "The key works and is kept. New sessions use it." : "The key is kept. New sessions use it.");
      setKey("");
      onDone();
    } catch (error) {
      if (error instanceof Refused && error.status !== 401) setProblem(error.message);
      else controller.report(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      className="row key-form"
      onSubmit={(e) => {
        e.preventDefault();
        void save(true);
      }}
    >
      <label className="field">
        <span>OpenAI API key</span>
        <input
          type="password"
          className="mono"
          autoComplete="off"
          spellCheck={false}
          placeholder="sk-…"
          value={key}
          onChange={(e) => {
            setKey(e.target.value);
            setProblem(undefined);
          }}
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-problem`}
        />
      </label>
      <Button type="submit" tone="primary" busy={busy} disabled={busy || key.trim() === ""}>
        {busy ? "Checking the key…" : "Use this key"}
      </Button>
      <div id={`${id}-problem`} className="key-problem" role="status">
        {problem === undefined ? null : (
          <>
            <p className="problem">{problem}</p>
            <Button size="small" onClick={() => void save(false)}>
              Keep it anyway
            </Button>
          </>
        )}
      </div>
    </form>
  );
}
