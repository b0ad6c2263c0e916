/** Numbers as the pages and the terminal show them. */

/** About three digits. */
export function short(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  return size >= 1000
    ? Math.round(value).toLocaleString("en-US")
    : size >= 100
      ? value.toFixed(0)
      : String(Number(value.toPrecision(size < 1 ? 2 : 3)));
}
