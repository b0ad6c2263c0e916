/** Whole numbers for people, "272,000", without Intl: its first use takes twenty milliseconds of a first turn and six megabytes. */
export const grouped = (n: number): string => String(n).replace(/\B(?=(?:\d{3})+$)/g, ",");
