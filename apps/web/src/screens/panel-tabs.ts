/** The tabs of the panel beside a conversation; the panel itself is loaded when it is opened. */

/** `file` is only there while a file is open. */
export type PanelTab = "changes" | "plan" | "agents" | "history" | "programs" | "details" | "file";
export const tabs: readonly (readonly [PanelTab, string])[] = [
  ["changes", "Changes"],
  ["plan", "Plan"],
  ["agents", "Agents"],
  ["history", "History"],
  ["programs", "Programs"],
  ["details", "Details"],
];

export const panelTabs: readonly PanelTab[] = tabs.map(([id]) => id);

export interface OpenedFile {
  readonly path: string;
  readonly line: number | null;
}
