// Generated from the method tables of Parley's app-server. Do not edit.

export type UsageBudget = { tokensPerDay: number | null, tokensPerThread: number | null, moneyPerDay: number | null, moneyPerThread: number | null };
