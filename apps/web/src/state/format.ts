/** Text formatting shared by several screens: times, sizes, folder names. */

export function ago(seconds: number, now: number): string {
  const diff = Math.max(0, now / 1000 - seconds);
  if (diff < 45) return "now";
  if (diff < 3600) return `${Math.max(1, Math.floor(diff / 60))}m`;
  if (diff < 86_400) return `${Math.floor(diff / 3600)}h`;
  if (diff < 7 * 86_400) return `${Math.floor(diff / 86_400)}d`;
  return new Date(seconds * 1000).toLocaleDateString(undefined, { month: "short", day: "numeric" });
}

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  // Rounded before it is split, so that the smaller unit is never 60.
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return two(Math.floor(seconds / 60), "min", seconds % 60, "s");
  const minutes = Math.round(seconds / 60);
  return two(Math.floor(minutes / 60), "h", minutes % 60, "min");
}

const two = (large: number, unit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smallUnit}`;

/** A time for display: only the time if today, else with the date. */
export function clock(ms: number, now = Date.now()): string {
  const at = new Date(ms);
  const time = at.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
  if (at.toDateString() === new Date(now).toDateString()) return time;
  return `${at.toLocaleDateString(undefined, { month: "short", day: "numeric" })}, ${time}`;
}

export function compact(n: number): string {
  if (n < 1000) return String(n);
  if (n < 10_000) return `${(n / 1000).toFixed(1)}k`;
  if (n < 1_000_000) return `${Math.round(n / 1000)}k`;
  return `${(n / 1_000_000).toFixed(1)}M`;
}

export const folderName = (path: string): string =>
  path
    .replace(/[\\/]+$/, "")
    .split(/[\\/]/)
    .at(-1) || path;

/** A path as people write it: the home folder is `~`, and a path inside the session's folder starts there. */
export function shortPath(path: string, cwd?: string): string {
  if (cwd !== undefined && cwd !== "" && path.startsWith(`${cwd}/`)) return path.slice(cwd.length + 1);
  return path.replace(/^\/(?:home|Users)\/[^/]+(?=\/|$)/, "~");
}

export function dayGroup(seconds: number, now: number): string {
  const start = new Date(now);
  start.setHours(0, 0, 0, 0);
  const days = Math.ceil((start.getTime() / 1000 - seconds) / 86_400);
  if (days <= 0) return "Today";
  if (days === 1) return "Yesterday";
  if (days <= 7) return "Last 7 days";
  if (days <= 30) return "Last 30 days";
  return "Older";
}

export const plural = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`;
