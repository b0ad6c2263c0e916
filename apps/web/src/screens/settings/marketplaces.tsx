/** The marketplaces that plugins come from: the location of each, updating it, removing it, and adding another. */
import { type FormEvent, type ReactElement, useId, useState } from "react";
import { useApp } from "../../app-context.tsx";
import { Refused } from "../../connection/connection.ts";
import { spelledLine } from "../../parts/requests/spelled.ts";
import type { PluginGroup } from "../../state/plugins.ts";
import { Button } from "../../ui/controls.tsx";
import { Dialog } from "../../ui/overlays.tsx";
import { useBusy } from "./busy.ts";

export function MarketplaceHead({
  group: { title, name, path, added },
  mayChange,
  onChange,
}: {
  group: PluginGroup;
  mayChange: boolean;
  onChange: () => void;
}): ReactElement {
  const { controller, toast } = useApp();
  const { plugins } = controller.connection;
  const { busy, run } = useBusy();
  const [asking, setAsking] = useState(false);
  const shown = spelledLine(title);
  const upgrade = (): Promise<void> =>
    run(async () => {
      const outcome = await controller.try(plugins.upgradeMarketplace(name));
      const [problem] = outcome?.errors ?? [];
      if (problem !== undefined) toast(spelledLine(problem.message), "problem");
      else if (outcome !== undefined)
        toast(outcome.upgradedRoots.length === 0 ? "There was nothing new." : "Fetched. Installed plugins stay as they are.");
      onChange();
    });
  const place = added?.source ?? path;
  return (
    <>
      <div className="row marketplace-head">
        <h3>{shown}</h3>
        <span className="spacer" />
        {mayChange && added?.sourceType === "git" ? (
          <Button size="small" icon="retry" busy={busy} disabled={busy} aria-label={`Fetch again: ${shown}`} onClick={() => void upgrade()}>
            Fetch again
          </Button>
        ) : null}
        {mayChange && added !== undefined ? (
          <Button size="small" tone="quiet" aria-label={`Remove the marketplace ${shown}`} onClick={() => setAsking(true)}>
            Remove
          </Button>
        ) : null}
      </div>
      {place == null || place === "" ? null : (
        <p className="hint">
          <code>{spelledLine(place)}</code>
        </p>
      )}
      {asking ? (
        <Dialog title="Remove this marketplace?" onClose={() => setAsking(false)}>
          <p>
            <strong>{shown}</strong> is no longer listed. Plugins that you have installed from it stay.
          </p>
          <div className="row-end">
            <Button tone="quiet" onClick={() => setAsking(false)}>
              Keep it
            </Button>
            <Button
              tone="danger"
              onClick={() => {
                setAsking(false);
                void controller.try(plugins.removeMarketplace(name), "Removed").then(onChange);
              }}
            >
              Remove
            </Button>
          </div>
        </Dialog>
      ) : null}
    </>
  );
}

export function AddMarketplace({ onAdded }: { onAdded: () => void }): ReactElement {
  const { controller, toast } = useApp();
  const [source, setSource] = useState("");
  const [ref, setRef] = useState("");
  const [problem, setProblem] = useState<string>();
  const { busy, run } = useBusy();
  const id = useId();
  const add = (event: FormEvent): void => {
    event.preventDefault();
    if (source.trim() === "" || busy) return;
    setProblem(undefined);
    void run(async () => {
      try {
        const name = await controller.connection.plugins.addMarketplace(source.trim(), ref.trim() === "" ? null : ref.trim());
        toast(`${spelledLine(name)} is added`);
        setSource("");
        setRef("");
        onAdded();
      } catch (error) {
        if (error instanceof Refused && error.status !== 401) setProblem(error.message);
        else controller.report(error);
      }
    });
  };
  return (
    <form className="setting-box" onSubmit={add} aria-label="Add a marketplace">
      <h3>Add a marketplace</h3>
      <label className="field">
        <span>Folder, owner/repository or git address</span>
        <input
          type="text"
          className="mono"
          spellCheck={false}
          value={source}
          onChange={(e) => {
            setSource(e.target.value);
            setProblem(undefined);
          }}
          placeholder="owner/repository"
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-problem`}
        />
      </label>
      <label className="field">
        <span>
          Branch, tag or commit <span className="hint">(optional)</span>
        </span>
        <input type="text" className="mono" spellCheck={false} value={ref} onChange={(e) => setRef(e.target.value)} />
      </label>
      <div id={`${id}-problem`} role="status">
        {problem === undefined ? null : <p className="problem">{spelledLine(problem)}</p>}
        {busy ? <p className="hint">Fetching… this may take a minute.</p> : null}
      </div>
      <div className="row">
        <Button type="submit" tone="primary" busy={busy} disabled={busy || source.trim() === ""}>
          Add
        </Button>
      </div>
    </form>
  );
}
