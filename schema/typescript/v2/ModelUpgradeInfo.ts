// Generated from the method tables of Parley's app-server. Do not edit.

export type ModelUpgradeInfo = { model: string, migrationMarkdown?: string | null, modelLink?: string | null, retirementAt?: number | null, upgradeCopy?: string | null };
