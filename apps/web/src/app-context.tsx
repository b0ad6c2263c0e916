/** Context for every screen: the controller, the settings, the current place, and the few lists that several screens share. */
import { createContext, useContext, useRef, useSyncExternalStore } from "react";
import type { Models, SandboxFacts, Scope } from "./connection/connection.ts";
import type { Controller } from "./state/controller.ts";
import type { AppState } from "./state/model.ts";
import type { Place, SettingsTab } from "./state/router.ts";
import type { Settings } from "./state/settings.ts";

export interface App {
  readonly controller: Controller;
  readonly settings: Settings;
  readonly change: (settings: Partial<Settings>) => void;
  readonly place: Place;
  readonly go: (place: Place) => void;
  readonly models: Models;
  readonly scope: Scope;
  /** True while no model is set up and the built-in tour answers. */
  readonly offlineTour: boolean;
  readonly defaultFolder: string;
  /** The default model of new sessions, if the engine's settings name one. */
  readonly defaultModel: string | undefined;
  /** The sandbox that confines commands; undefined if the engine does not report it. */
  readonly sandbox: SandboxFacts | undefined;
  /** Whether the manager can show a fleet; undefined until it has said so. */
  readonly fleet: boolean | undefined;
  /** Reloads the shared lists after the account has changed. */
  readonly reload: () => void;
  readonly toast: (message: string, tone?: "info" | "problem", undo?: () => void) => void;
  readonly run: (command: string) => void;
  readonly isMac: boolean;
}

export const AppContext = createContext<App | undefined>(undefined);

export function useApp(): App {
  const app = useContext(AppContext);
  if (app === undefined) throw new Error("used outside the app");
  return app;
}

/** Selects part of the state and re-renders only when that part changes. */
export function useAppState<T>(select: (state: AppState) => T): T {
  const { store } = useApp().controller;
  const last = useRef<{ state: AppState; value: T; select: (state: AppState) => T }>(undefined);
  return useSyncExternalStore(store.subscribe, () => {
    const state = store.get();
    if (last.current?.state === state && last.current.select === select) return last.current.value;
    const value = select(state);
    last.current = { state, value, select };
    return value;
  });
}

/** The pages of the settings that there are here. An address that leads to the fleet is followed before it is known whether there is one. */
export function settingsOf({ controller, fleet, place }: App): readonly SettingsTab[] {
  const hasFleet = fleet ?? (place.name === "settings" && place.tab === "fleet");
  return controller.connection.offers.settings.filter((tab) => tab !== "fleet" || hasFleet);
}

const order: readonly Scope[] = ["read", "approve", "drive", "admin"];
export const allows = (have: Scope, need: Scope): boolean => order.indexOf(have) >= order.indexOf(need);
