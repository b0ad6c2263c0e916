/** MCP servers: their state, what they offer, and signing in to those that require it. */
import { type ReactElement, useCallback, useState } from "react";
import { allows, useApp } from "../../app-context.tsx";
import { safeHref } from "../../parts/markdown/blocks.ts";
import { plural } from "../../state/format.ts";
import { Button } from "../../ui/controls.tsx";
import { Shown, useLoaded } from "./load.tsx";

const authLabels: Readonly<Record<string, string>> = {
  notLoggedIn: "Not signed in",
  bearerToken: "Token",
  oAuth: "Signed in",
  unsupported: "No sign-in needed",
  unknown: "",
};

export function Servers(): ReactElement {
  const { controller, scope } = useApp();
  const { connection } = controller;
  const servers = useLoaded(useCallback(() => connection.mcpServers(), [connection]));
  const [page, setPage] = useState<{ name: string; url: string }>();
  const admin = allows(scope, "admin");
  const signIn = async (name: string): Promise<void> => {
    const url = await controller.try(connection.mcpLogin(name));
    if (url !== undefined) setPage({ name, url });
  };
  return (
    <>
      {admin ? (
        <div className="row">
          <Button onClick={() => void controller.try(connection.mcpReload(), "Settings read again").then(servers.reload)}>
            Read settings again
          </Button>
        </div>
      ) : null}
      {page === undefined ? null : (
        <SignInPage
          {...page}
          onDone={() => {
            setPage(undefined);
            servers.reload();
          }}
        />
      )}
      <Shown of={servers}>
        {(list) =>
          list.length === 0 ? (
            <p className="hint">
              No servers are set up. They are listed under <code>[mcp_servers]</code> in config.toml.
            </p>
          ) : (
            <ul className="server-list">
              {list.map((server) => (
                <li key={server.name} className="setting-box">
                  <div className="row">
                    <h3>{server.serverInfo?.title ?? server.name}</h3>
                    <span className="tag">{authLabels[server.authStatus] ?? server.authStatus}</span>
                    {server.runtimeStatus == null ? null : (
                      <span className={`tag tag-${server.runtimeStatus}`}>{server.runtimeStatus}</span>
                    )}
                    <span className="spacer" />
                    {admin && server.authStatus === "notLoggedIn" ? (
                      <Button size="small" tone="primary" onClick={() => void signIn(server.name)}>
                        Sign in
                      </Button>
                    ) : null}
                  </div>
                  {server.toolsError == null ? null : <p className="problem">{server.toolsError}</p>}
                  <details>
                    <summary>{plural(Object.keys(server.tools).length, "tool")}</summary>
                    <ul className="tool-list">
                      {Object.values(server.tools).map((tool) => (
                        <li key={tool.name}>
                          <code>{tool.name}</code> <span className="hint">{tool.description}</span>
                        </li>
                      ))}
                    </ul>
                  </details>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </>
  );
}

function SignInPage({ name, url, onDone }: { name: string; url: string; onDone: () => void }): ReactElement {
  const safe = safeHref(url);
  return (
    <div className="setting-box">
      <p>
        {name} wants you to sign in at <code>{safe === undefined ? "an address that cannot be opened" : new URL(safe).host}</code>.
      </p>
      <div className="row">
        {safe === undefined ? null : (
          <a className="button button-primary button-normal" href={safe} target="_blank" rel="noopener noreferrer">
            Open the page
          </a>
        )}
        <Button onClick={onDone}>Done</Button>
      </div>
    </div>
  );
}
