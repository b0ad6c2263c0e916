/** Whether a value is a plain JSON object, for code that reads data of unknown shape. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
