/** Which account and models the engine uses. */
import { type ReactElement, useCallback } from "react";
import { useApp } from "../../app-context.tsx";
import type { Account } from "../../connection/connection.ts";
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
  const { controller, models, offlineTour } = useApp();
  const { connection } = controller;
  const account = useLoaded(useCallback(() => connection.account(), [connection]));
  const limits = useLoaded(useCallback(() => connection.rateLimits().catch(() => null), [connection]));
  return (
    <>
      {offlineTour ? (
        <section className="setting-box">
          <h3>Set up a model</h3>
          <p>
            Parley speaks to any provider. Sign in with <code>parley login</code>, set a key such as <code>OPENAI_API_KEY</code>, or name a
            provider under <code>[model_providers]</code> in config.toml, then start the manager again.
          </p>
        </section>
      ) : null}
      <section className="setting-box">
        <h3>Account</h3>
        <Shown of={account}>{(value) => <p>{accountText(value)}</p>}</Shown>
        {limits.value == null ? null : <Limits limits={limits.value} />}
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
