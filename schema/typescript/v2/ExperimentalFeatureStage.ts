// Generated from the method tables of Parley's app-server. Do not edit.

export type ExperimentalFeatureStage = "beta" | "underDevelopment" | "stable" | "deprecated" | "removed";
