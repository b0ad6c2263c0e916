/** The Codex version whose protocol and command line this server stands in for: what programs that look for Codex read. */
export const codexVersion = "0.166.0";
