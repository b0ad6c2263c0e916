/** The Codex version whose protocol and command line this server is compatible with: programs that look for Codex read it. */
export const codexVersion = "0.166.0";
