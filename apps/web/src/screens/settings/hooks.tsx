/** Hooks, which run at certain moments of a session: what each does, and whether it is trusted. */
import { type ReactElement, useCallback } from "react";
import { allows, useApp } from "../../app-context.tsx";
import type { Hook, HookFolders } from "../../connection/connection.ts";
import { spelledLine, spelledOut } from "../../parts/requests/spelled.ts";
import { doesRun, type HookWord, hookAction, hookMoment, hookState } from "../../state/hooks.ts";
import { Button } from "../../ui/controls.tsx";
import { Shown, useLoaded } from "./load.tsx";

/** One file that defines hooks. */
interface HookFile {
  readonly path: string;
  readonly source: Hook["source"];
  readonly hooks: readonly Hook[];
}

export function HooksTab(): ReactElement {
  const { controller, scope } = useApp();
  const { connection } = controller;
  const folders = useLoaded(useCallback(() => connection.hooks(), [connection]));
  const mayChange = allows(scope, "admin");
  const say = (key: string, word: HookWord): void =>
    void controller.try(connection.setHook(key, word), "It counts from the next turn on.").then(folders.reload);
  return (
    <>
      <p>
        Hooks run outside the sandbox, with your rights. One that is new or has changed does not run before somebody has looked at it and
        trusts it as it is.
      </p>
      <Shown of={folders}>
        {(value) => (
          <>
            {problems(value).map((problem) => (
              <p key={problem} className="problem">
                {spelledLine(problem)}
              </p>
            ))}
            {value.every(({ hooks }) => hooks.length === 0) ? (
              <p className="hint">
                No hooks are set. They stand under <code>[hooks]</code> in config.toml, or in a <code>hooks.json</code> beside it.
              </p>
            ) : null}
            {filesOf(value).map((file) => (
              <section key={file.path} className="hook-file" aria-label={spelledLine(file.path)}>
                <h3>{sourceLabels[file.source] ?? "Others"}</h3>
                <p className="hint">
                  <code>{spelledLine(file.path)}</code>
                </p>
                <ul className="server-list">
                  {file.hooks.map((hook) => (
                    <HookBox key={hook.key} hook={hook} onSay={mayChange && !hook.isManaged ? (word) => say(hook.key, word) : undefined} />
                  ))}
                </ul>
              </section>
            ))}
          </>
        )}
      </Shown>
    </>
  );
}

const sourceLabels: Readonly<Partial<Record<Hook["source"], string>>> = {
  user: "Yours",
  project: "A project's",
  plugin: "A plugin's",
  sessionFlags: "From the command line",
  system: "This machine's",
};

/** A file is listed once, however many folders it applies to. */
function filesOf(folders: HookFolders): readonly HookFile[] {
  const byKey = new Map(folders.flatMap(({ hooks }) => hooks.map((hook) => [hook.key, hook] as const)));
  return [...Map.groupBy(byKey.values(), (hook) => hook.sourcePath)].flatMap(([path, hooks]) => {
    const [first] = hooks;
    return first === undefined ? [] : [{ path, source: first.source, hooks }];
  });
}

const problems = (folders: HookFolders): readonly string[] => [
  ...new Set(folders.flatMap(({ errors, warnings }) => [...errors.map(({ path, message }) => `${path}: ${message}`), ...warnings])),
];

function HookBox({ hook, onSay }: { hook: Hook; onSay: ((word: HookWord) => void) | undefined }): ReactElement {
  const isTrusted = hook.trustStatus === "trusted";
  const name = spelledLine(hookMoment(hook));
  return (
    <li className="setting-box">
      <div className="row">
        <h4>{name}</h4>
        <span className={`tag ${doesRun(hook) ? "tag-connected" : ""}`}>{hookState(hook)}</span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long command scrolls and must be reachable by keyboard */}
      <pre className="card-command" tabIndex={0}>
        <code>{spelledOut(hookAction(hook))}</code>
      </pre>
      {onSay === undefined ? null : (
        <div className="row">
          {isTrusted ? (
            <Button size="small" onClick={() => onSay({ trustedHash: null })} aria-label={`Stop trusting ${name}`}>
              Stop trusting it
            </Button>
          ) : (
            <Button
              size="small"
              tone="primary"
              onClick={() => onSay({ trustedHash: hook.currentHash })}
              aria-label={`Trust ${name} as it is`}
            >
              Trust it as it is
            </Button>
          )}
          <Button
            size="small"
            onClick={() => onSay({ enabled: !hook.enabled })}
            aria-label={`${hook.enabled ? "Switch off" : "Switch on"} ${name}`}
          >
            {hook.enabled ? "Switch off" : "Switch on"}
          </Button>
        </div>
      )}
    </li>
  );
}
