/** Until when a session can be snoozed. */

export interface SnoozeChoice {
  readonly label: string;
  /** Seconds since 1970. */
  readonly until: number;
}

const evening = 18;
const morning = 9;

/** In the person's own time; only times that are ahead. */
export function snoozeChoices(now: Date): readonly SnoozeChoice[] {
  const at = (days: number, hour: number): Date => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour);
  const daysToMonday = (8 - now.getDay()) % 7 || 7;
  const choices: readonly (readonly [string, Date])[] = [
    ["For an hour", new Date(now.getTime() + 3_600_000)],
    ["Until this evening", at(0, evening)],
    ["Until tomorrow morning", at(1, morning)],
    ["Until Monday morning", at(daysToMonday, morning)],
  ];
  return choices
    .filter(([, time]) => time.getTime() - now.getTime() >= 1_800_000)
    .map(([label, time]) => ({ label, until: Math.floor(time.getTime() / 1000) }));
}
