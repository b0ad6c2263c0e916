/** The terminal a process runs in, detected from environment variables: for the user agent. */

/** Variables that identify terminals without TERM_PROGRAM, each with the terminal's name; with a version where the variable contains one. */
const marks: readonly (readonly [variable: string, name: string, isVersion: boolean])[] = [
  ["WEZTERM_VERSION", "WezTerm", true],
  ["KITTY_WINDOW_ID", "kitty", false],
  ["VTE_VERSION", "VTE", true],
  ["WT_SESSION", "WindowsTerminal", false],
];

/** `name` or `name/version`, in characters that are valid in a header. */
export function terminalName(env: Readonly<Record<string, string | undefined>>): string {
  const mark = marks.find(([variable]) => env[variable]);
  const program = env["TERM_PROGRAM"];
  const named = program
    ? [program, env["TERM_PROGRAM_VERSION"]]
    : mark === undefined
      ? [env["TERM"]]
      : [mark[1], mark[2] ? env[mark[0]] : undefined];
  const text = named.filter(Boolean).join("/") || "unknown";
  return text.replace(/[^A-Za-z0-9._/-]/g, "_").slice(0, 100);
}
