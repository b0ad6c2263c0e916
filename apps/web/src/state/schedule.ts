/** When a schedule runs, in words and as fields of a form: days of the week and a time, or a cron expression. */

export interface DayTime {
  /** 0 is Sunday, as in cron. */
  readonly days: readonly number[];
  /** `HH:MM` */
  readonly time: string;
}

const dayNames = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;
/** The week as people write it, Monday first. */
export const week: readonly (readonly [number, string])[] = [1, 2, 3, 4, 5, 6, 0].map((day) => [day, dayNames[day] ?? ""] as const);

export function cronOf({ days, time }: DayTime): string {
  const [hour = "0", minute = "0"] = time.split(":");
  const sorted = [...new Set(days)].sort((a, b) => a - b);
  return `${Number(minute)} ${Number(hour)} * * ${sorted.length === 7 ? "*" : sorted.join(",")}`;
}

/** Undefined if the expression says more than days and one time. */
export function dayTimeOf(cron: string): DayTime | undefined {
  const [, minute, hour, days] = /^(\d{1,2}) (\d{1,2}) \* \* (\*|[0-7](?:[,-][0-7])*)$/.exec(cron.trim()) ?? [];
  if (minute === undefined || hour === undefined || days === undefined || Number(minute) > 59 || Number(hour) > 23) return undefined;
  return { days: days === "*" ? [0, 1, 2, 3, 4, 5, 6] : daysIn(days), time: `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}` };
}

function daysIn(text: string): readonly number[] {
  const found = text.split(",").flatMap((part) => {
    const [from = 0, to = from] = part.split("-").map(Number);
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => (from + i) % 7);
  });
  return [...new Set(found)].sort((a, b) => a - b);
}

export function inWords(cron: string, timeZone: string): string {
  const found = dayTimeOf(cron);
  return `${found === undefined ? `cron ${cron}` : `${daysInWords(found.days)} at ${found.time}`} (${timeZone})`;
}

function daysInWords(days: readonly number[]): string {
  const key = days.join("");
  if (key === "0123456") return "Every day";
  if (key === "12345") return "Every weekday";
  if (key === "06") return "Every weekend day";
  return `Every ${week
    .filter(([day]) => days.includes(day))
    .map(([, name]) => name)
    .join(", ")}`;
}
