/** Port: which hosts a sandboxed command may reach, and who decides about the others. */

/** The network part of a permission profile, with the administrator's and the user's own rules added. */
export interface NetworkRules {
  /** Host patterns (`lib/host-pattern.ts`). */
  readonly allow: readonly string[];
  /** Wins over everything else. */
  readonly deny: readonly string[];
  /** "limited" allows only requests that read, which nobody can tell inside an encrypted connection: those are refused. */
  readonly mode: "full" | "limited";
  /** Whether this machine and its network count as ordinary hosts; otherwise only addresses that `allow` names can be reached there. */
  readonly allowsLocal: boolean;
  /** Whether the proxy of the server's own environment is used on the way out. */
  readonly usesUpstream: boolean;
  /** Whether programs may speak SOCKS; HTTP they always may. */
  readonly hasSocks: boolean;
  /** Whether hosts without a rule are refused without a question. */
  readonly isClosed: boolean;
}

export interface NetworkTarget {
  /** "https" is every tunnel made by CONNECT. */
  readonly protocol: "http" | "https" | "socks5Tcp";
  /** In its canonical form. */
  readonly host: string;
  readonly port: number;
}

export type NetworkBlock = "denied" | "not_allowed" | "not_allowed_local" | "method_not_allowed" | "mitm_required";

/** The network of one command that reaches only some hosts. */
export interface CommandNetwork {
  readonly rules: NetworkRules;
  /**
   * Decides about a target that no rule covers; undefined allows it, a text says why not. Called once for each target of the command.
   * Contract: never rejects.
   */
  ask(target: NetworkTarget, signal: AbortSignal): Promise<string | undefined>;
  /** Called once for each target that the rules decided about. */
  decided(target: NetworkTarget, block: NetworkBlock | undefined): void;
  /** Called when this machine's sandbox cannot give it such a network: the command runs without any. */
  unavailable(reason: string): void;
}

export const targetText = ({ protocol, host, port }: NetworkTarget): string =>
  `${protocol === "socks5Tcp" ? "socks5-tcp" : protocol}://${host.includes(":") ? `[${host}]` : host}:${port}`;
