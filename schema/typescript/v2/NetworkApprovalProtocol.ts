// Generated from the method tables of Parley's app-server. Do not edit.

export type NetworkApprovalProtocol = "http" | "https" | "socks5Tcp" | "socks5Udp";
