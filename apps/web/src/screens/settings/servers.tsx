/** MCP servers: their state, what they offer, and signing in to those that require it. */
import { type ReactElement, useCallback, useState } from "react";
import { allows, useApp } from "../../app-context.tsx";
import type { McpServers } from "../../connection/connection.ts";
import type { ToolCalls } from "../../connection/tools.ts";
import { safeHref } from "../../parts/markdown/blocks.ts";
import { plural } from "../../state/format.ts";
import { Button, Switch } from "../../ui/controls.tsx";
import { Shown, useLoaded } from "./load.tsx";
import { McpForm } from "./mcp-form.tsx";

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
  const [adding, setAdding] = useState(false);
  const admin = allows(scope, "admin");
  const { tools } = connection;
  const settings = useLoaded(useCallback(async () => (admin && tools !== undefined ? await tools.mcpSettings() : {}), [admin, tools]));
  const reload = async (): Promise<void> => void (await Promise.all([servers.reload(), settings.reload()]));
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
          {tools === undefined || adding ? null : (
            <Button tone="primary" icon="plus" onClick={() => setAdding(true)}>
              Add a server
            </Button>
          )}
        </div>
      ) : null}
      {adding && tools !== undefined ? (
        <McpForm
          tools={tools}
          taken={Object.keys(settings.value ?? {})}
          onDone={() => {
            setAdding(false);
            void reload();
          }}
        />
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
      {tools === undefined ? null : (
        <SwitchedOff tools={tools} settings={settings.value ?? {}} known={servers.value} onChanged={() => void reload()} />
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
                  {tools === undefined || !(server.name in (settings.value ?? {})) ? null : (
                    <Kept tools={tools} name={server.name} setting={settings.value?.[server.name]} onChanged={() => void reload()} />
                  )}
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

const isOn = (setting: unknown): boolean =>
  !(typeof setting === "object" && setting !== null && "enabled" in setting && setting.enabled === false);

interface KeptProps {
  readonly tools: ToolCalls;
  readonly name: string;
  readonly setting: unknown;
  readonly onChanged: () => void;
}

/** A server of the user's own settings: it can be switched off and removed here. */
function Kept({ tools, name, setting, onChanged }: KeptProps): ReactElement {
  const { controller } = useApp();
  return (
    <div className="row">
      <Switch
        label={`Use ${name}`}
        checked={isOn(setting)}
        onChange={(on) => void controller.try(tools.switchMcpServer(name, on)).then(onChanged)}
      />
      <span className="spacer" />
      <Button
        size="small"
        tone="danger"
        aria-label={`Remove ${name}`}
        onClick={() => void controller.try(tools.setMcpServer(name, null), "Server removed").then(onChanged)}
      >
        Remove
      </Button>
    </div>
  );
}

/** The engine does not list servers that are switched off. */
function SwitchedOff({
  tools,
  settings,
  known,
  onChanged,
}: {
  tools: ToolCalls;
  settings: Readonly<Record<string, unknown>>;
  known: McpServers | undefined;
  onChanged: () => void;
}): ReactElement | null {
  const missing = Object.entries(settings).filter(([name]) => known !== undefined && !known.some((server) => server.name === name));
  if (missing.length === 0) return null;
  return (
    <ul className="server-list">
      {missing.map(([name, setting]) => (
        <li key={name} className="setting-box">
          <h3>{name}</h3>
          <Kept tools={tools} name={name} setting={setting} onChanged={onChanged} />
        </li>
      ))}
    </ul>
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
