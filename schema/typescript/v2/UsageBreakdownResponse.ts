// Generated from the method tables of Parley's app-server. Do not edit.

import type { UsageBreakdownRow } from "./UsageBreakdownRow";
import type { UsageBudget } from "./UsageBudget";

export type UsageBreakdownResponse = { rows: Array<UsageBreakdownRow>, currency: string, budget: UsageBudget, today: { day: string, tokens: number, money: number | null }, truncated: boolean };
