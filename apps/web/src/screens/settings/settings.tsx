/** Settings: what this browser remembers, and what the manager keeps. */
import { lazy, type ReactElement, Suspense, useEffect, useRef } from "react";
import { allows, settingsOf, useApp } from "../../app-context.tsx";
import type { SettingsTab } from "../../state/router.ts";
import { Empty } from "../../ui/controls.tsx";
import { Icon, type IconName } from "../../ui/icons.tsx";

const General = lazy(() => import("./general.tsx").then((m) => ({ default: m.General })));
const CostTab = lazy(() => import("./cost.tsx").then((m) => ({ default: m.CostTab })));
const KeysTab = lazy(() => import("./keys.tsx").then((m) => ({ default: m.KeysTab })));
const Devices = lazy(() => import("./devices.tsx").then((m) => ({ default: m.Devices })));
const RulesTab = lazy(() => import("./rules.tsx").then((m) => ({ default: m.RulesTab })));
const Audit = lazy(() => import("./audit.tsx").then((m) => ({ default: m.Audit })));
const Servers = lazy(() => import("./servers.tsx").then((m) => ({ default: m.Servers })));
const HooksTab = lazy(() => import("./hooks.tsx").then((m) => ({ default: m.HooksTab })));
const PluginsTab = lazy(() => import("./plugins.tsx").then((m) => ({ default: m.PluginsTab })));
const SkillsTab = lazy(() => import("./skills.tsx").then((m) => ({ default: m.SkillsTab })));
const TemplatesTab = lazy(() => import("./templates.tsx").then((m) => ({ default: m.TemplatesTab })));
const SchedulesTab = lazy(() => import("./schedules.tsx").then((m) => ({ default: m.SchedulesTab })));
const FleetTab = lazy(() => import("./fleet.tsx").then((m) => ({ default: m.FleetTab })));
const SharingTab = lazy(() => import("./sharing.tsx").then((m) => ({ default: m.SharingTab })));
const AccountTab = lazy(() => import("./account.tsx").then((m) => ({ default: m.AccountTab })));

const tabs: readonly { readonly id: SettingsTab; readonly label: string; readonly icon: IconName; readonly admin: boolean }[] = [
  { id: "general", label: "General", icon: "gear", admin: false },
  { id: "keys", label: "Keys", icon: "keyboard", admin: false },
  { id: "account", label: "Model and account", icon: "spark", admin: false },
  { id: "cost", label: "Cost", icon: "chart", admin: false },
  { id: "servers", label: "MCP servers", icon: "tool", admin: false },
  { id: "skills", label: "Skills", icon: "spark", admin: false },
  { id: "templates", label: "Templates", icon: "form", admin: false },
  { id: "schedules", label: "Schedules", icon: "clock", admin: false },
  { id: "hooks", label: "Hooks", icon: "bolt", admin: false },
  { id: "plugins", label: "Plugins", icon: "plug", admin: false },
  { id: "rules", label: "Approval rules", icon: "shield", admin: false },
  { id: "fleet", label: "Fleet", icon: "rows", admin: false },
  { id: "devices", label: "Devices", icon: "device", admin: true },
  { id: "sharing", label: "Shared links", icon: "external", admin: true },
  { id: "audit", label: "Audit", icon: "list", admin: true },
];

export function SettingsScreen({ tab, menuButton }: { tab: SettingsTab; menuButton: ReactElement | null }): ReactElement {
  const app = useApp();
  const { go, scope, controller } = app;
  const offered = settingsOf(app);
  const shown = tabs.filter((t) => offered.includes(t.id) && (!t.admin || allows(scope, "admin")));
  const current = shown.find((t) => t.id === tab);
  const list = useRef<HTMLElement>(null);
  // On a phone the tabs are a strip that scrolls.
  useEffect(() => {
    // Browsers may return a promise here, which React would treat as a cleanup function.
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
  }, [tab]);
  return (
    <div className="page settings">
      <header className="page-head">
        {menuButton}
        <h1>Settings</h1>
        <span className="spacer" />
        {controller.connection.offers.settings.includes("devices") ? (
          <button type="button" className="link-button" onClick={() => void controller.signOut()}>
            Sign out
          </button>
        ) : null}
      </header>
      <div className="settings-body">
        <nav ref={list} className="settings-tabs" aria-label="Settings">
          {shown.map((t) => (
            <button
              key={t.id}
              type="button"
              aria-current={t.id === tab ? "page" : undefined}
              onClick={() => go({ name: "settings", tab: t.id })}
            >
              <Icon name={t.icon} size={16} />
              {t.label}
            </button>
          ))}
        </nav>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a page without buttons must be reachable by keyboard */}
        <section className="settings-page" aria-label={current?.label ?? "Settings"} tabIndex={0}>
          {current === undefined ? (
            <Empty icon="shield" title={tab === "fleet" ? "This manager has no fleet" : "This device may not see that page"} />
          ) : (
            <Suspense fallback={<p className="hint">Loading…</p>}>
              <h2>{current.label}</h2>
              <Tab id={current.id} />
            </Suspense>
          )}
        </section>
      </div>
    </div>
  );
}

function Tab({ id }: { id: SettingsTab }): ReactElement | null {
  const { tools } = useApp().controller.connection;
  switch (id) {
    case "general":
      return <General />;
    case "cost":
      return <CostTab />;
    case "keys":
      return <KeysTab />;
    case "devices":
      return <Devices />;
    case "rules":
      return <RulesTab />;
    case "audit":
      return <Audit />;
    case "servers":
      return <Servers />;
    case "hooks":
      return <HooksTab />;
    case "plugins":
      return <PluginsTab />;
    case "account":
      return <AccountTab />;
    case "skills":
      return tools === undefined ? null : <SkillsTab tools={tools} />;
    case "templates":
      return tools === undefined ? null : <TemplatesTab tools={tools} />;
    case "schedules":
      return tools === undefined ? null : <SchedulesTab tools={tools} />;
    case "fleet":
      return tools === undefined ? null : <FleetTab tools={tools} />;
    case "sharing":
      return tools === undefined ? null : <SharingTab tools={tools} />;
  }
}
