/** Port: what of a trusted project the user has agreed to. Trust covers what was there when it was given, not what comes later. */

/** A part of a project, or of a plugin's folder, that takes effect as a whole, each with a first look of its own. */
export type ProjectPart = "settings" | "mcp_servers" | "skills" | "plugin";

/** Names of things in a project, relative to its root, with the digest of what they say. */
export type Digests = Readonly<Record<string, string>>;

export interface ProjectTrust {
  /** All that was agreed to; the same value while nothing changes. Never throws: a record that cannot be read has agreed to nothing. */
  accepted(repository: string): Digests;
  /** From now on these may take effect. Throws when that cannot be kept. */
  accept(repository: string, digests: Digests): void;
  /**
   * The first look at this part of a trusted project agrees to what is there. Only what commands could not have written may be among it: what
   * lies at the root, never what lies further below.
   */
  firstLook(repository: string, part: ProjectPart, digests: () => Digests): void;
}
