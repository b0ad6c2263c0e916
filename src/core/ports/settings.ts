/** The settings a thread has now, as plain frozen data. The table in protocol/settings.ts has a row for each; core's `settings` room has the rules. */
import type { SettingValues } from "../../protocol/settings.ts";

export interface ThreadSettings extends SettingValues {}

/** The model and its provider. */
export type ModelChoice = Pick<ThreadSettings, "model" | "modelProvider">;
