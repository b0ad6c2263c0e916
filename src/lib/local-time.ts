/** Times for people, in the time zone of this machine. */

const two = (n: number): string => String(n).padStart(2, "0");

export function dayOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export function minuteOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  return `${dayOf(seconds)} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
