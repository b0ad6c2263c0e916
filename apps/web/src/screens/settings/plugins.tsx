/** Plugins: available and installed ones, by marketplace, and the marketplaces themselves. */
import { type ReactElement, useCallback, useId, useState } from "react";
import { allows, useApp } from "../../app-context.tsx";
import { spelledLine } from "../../parts/requests/spelled.ts";
import { isFound, type PluginGroup, type PluginRow, pluginGroups } from "../../state/plugins.ts";
import { Switch } from "../../ui/controls.tsx";
import { Shown, useLoaded } from "./load.tsx";
import { AddMarketplace, MarketplaceHead } from "./marketplaces.tsx";
import { PluginBox } from "./plugin-box.tsx";

export function PluginsTab(): ReactElement {
  const { controller, scope } = useApp();
  const { plugins } = controller.connection;
  const facts = useLoaded(useCallback(() => plugins.list(), [plugins]));
  const [term, setTerm] = useState("");
  const [onlyInstalled, setOnlyInstalled] = useState(false);
  const mayChange = allows(scope, "admin");
  return (
    <>
      <p>
        Plugins bring skills, MCP servers and hooks along. What they run has your rights. A plugin that has changed since you accepted it is
        not used until you accept it again.
      </p>
      <Shown of={facts}>
        {(value) => {
          const groups = pluginGroups(value);
          const all = groups.flatMap(({ rows }) => rows);
          const isShown = (row: PluginRow): boolean => (!onlyInstalled || row.installed) && isFound(row, term);
          const count = all.filter(isShown).length;
          return (
            <>
              {value.problems.map((problem) => (
                <p key={problem} className="problem">
                  {spelledLine(problem)}
                </p>
              ))}
              {all.length === 0 ? null : <Finder {...{ term, onTerm: setTerm, onlyInstalled, onOnlyInstalled: setOnlyInstalled, count }} />}
              {groups.map((group) => (
                <Marketplace
                  key={group.path ?? group.name}
                  {...{ group, isShown, mayChange, isNarrowed: term !== "" || onlyInstalled }}
                  onChange={facts.reload}
                />
              ))}
              {groups.length === 0 ? <p className="hint">No marketplace is known here, and no plugin is installed.</p> : null}
              {mayChange ? <AddMarketplace onAdded={facts.reload} /> : null}
            </>
          );
        }}
      </Shown>
    </>
  );
}

interface FinderProps {
  readonly term: string;
  readonly onTerm: (term: string) => void;
  readonly onlyInstalled: boolean;
  readonly onOnlyInstalled: (only: boolean) => void;
  readonly count: number;
}

function Finder({ term, onTerm, onlyInstalled, onOnlyInstalled, count }: FinderProps): ReactElement {
  const id = useId();
  return (
    <search className="plugin-finder">
      <label className="field" htmlFor={id}>
        <span>Find a plugin</span>
        <input
          id={id}
          type="search"
          value={term}
          onChange={(e) => onTerm(e.target.value)}
          placeholder="Name or description"
          spellCheck={false}
        />
      </label>
      <Switch label="Installed ones only" checked={onlyInstalled} onChange={onOnlyInstalled} />
      <p role="status" className={count === 0 ? "hint" : "visually-hidden"}>
        {count === 0 ? "No plugin fits." : `${count} shown`}
      </p>
    </search>
  );
}

interface MarketplaceProps {
  readonly group: PluginGroup;
  readonly isShown: (row: PluginRow) => boolean;
  /** Whether a search is active: then marketplaces without matches are omitted. */
  readonly isNarrowed: boolean;
  readonly mayChange: boolean;
  readonly onChange: () => Promise<void>;
}

function Marketplace({ group, isShown, isNarrowed, mayChange, onChange }: MarketplaceProps): ReactElement | null {
  const rows = group.rows.filter(isShown);
  if (rows.length === 0 && isNarrowed) return null;
  return (
    <section className="marketplace" aria-label={spelledLine(group.title)}>
      <MarketplaceHead group={group} mayChange={mayChange} onChange={onChange} />
      {rows.length === 0 ? <p className="hint">It offers no plugins.</p> : null}
      <ul className="server-list">
        {rows.map((row) => (
          <PluginBox key={row.id} row={row} mayChange={mayChange} onChange={onChange} />
        ))}
      </ul>
    </section>
  );
}
