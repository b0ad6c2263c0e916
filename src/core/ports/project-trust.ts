/** Port: the parts of a trusted project that the user has accepted. Trust covers what existed when it was given, not later changes. */

/** A part of a project or plugin folder that takes effect as a whole; each is accepted separately when first seen. */
export type ProjectPart = "settings" | "mcp_servers" | "skills" | "plugin";

/** Names of a project's parts, relative to its root, with the digest of their content. */
export type Digests = Readonly<Record<string, string>>;

export interface ProjectTrust {
  /** Everything that was accepted; the same value while nothing changes. Never throws: an unreadable record accepts nothing. */
  accepted(repository: string): Digests;
  /** Accepts these. Throws when that cannot be stored. */
  accept(repository: string, digests: Digests): void;
  /**
   * Accepts the content of this part when a trusted project is first seen. It may include only what commands could not have written: files
   * at the root, never files further below.
   */
  firstLook(repository: string, part: ProjectPart, digests: () => Digests): void;
}
