/** Which account and models the engine uses. */
import { type ReactElement, useCallback } from "react";
import { allows, useApp } from "../../app-context.tsx";
import type { Account } from "../../connection/connection.ts";
import { Button } from "../../ui/controls.tsx";
import { Limits } from "../side-panel.tsx";
import { ChatgptSignIn } from "./chatgpt-sign-in.tsx";
import { Shown, useLoaded } from "./load.tsx";
import { SetUpModel } from "./set-up-model.tsx";

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
  // Other engines may list none.
  const providers = useLoaded(useCallback(() => connection.providers().catch(() => []), [connection]));
  const limits = useLoaded(useCallback(() => connection.rateLimits().catch(() => null), [connection]));
  const { reload: reloadAccount } = account;
  const { reload: reloadProviders } = providers;
  const renew = useCallback((): void => {
    void reloadAccount();
    void reloadProviders();
    reload();
  }, [reloadAccount, reloadProviders, reload]);
  const admin = allows(scope, "admin");
  const known = account.value?.account ?? null;
  return (
    <>
      {admin && connection.setUpModel !== undefined && (offlineTour || (providers.value ?? []).length > 0) ? (
        <section className="setting-box" aria-label="Set up a model">
          <h3>Set up a model</h3>
          <Shown of={providers}>{(value) => <SetUpModel providers={value} onDone={renew} />}</Shown>
        </section>
      ) : null}
      {admin && known?.type !== "chatgpt" ? <ChatgptSignIn onDone={renew} /> : null}
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
