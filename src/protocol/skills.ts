/** `skills`. */
import { array, boolean, type Infer, literals, maybe, named, object, optional, string } from "../lib/schema.ts";
import { notification, request } from "./define.ts";
import { LegacyAppPathString } from "./item.ts";
import { AbsolutePathBuf } from "./policy.ts";

export const SkillsListParams = named("SkillsListParams", () =>
  object({ cwds: optional(array(string())), forceReload: optional(boolean()) }),
);
export type SkillsListParams = Infer<typeof SkillsListParams>;

export const SkillsListResponse = named("SkillsListResponse", () => object({ data: array(SkillsListEntry()) }));
export type SkillsListResponse = Infer<typeof SkillsListResponse>;

export const SkillsConfigWriteParams = named("SkillsConfigWriteParams", () =>
  object({ enabled: boolean(), name: maybe(string()), path: maybe(AbsolutePathBuf()) }),
);
export type SkillsConfigWriteParams = Infer<typeof SkillsConfigWriteParams>;

export const SkillsConfigWriteResponse = named("SkillsConfigWriteResponse", () => object({ effectiveEnabled: boolean() }));
export type SkillsConfigWriteResponse = Infer<typeof SkillsConfigWriteResponse>;

export const SkillsExtraRootsSetParams = named("SkillsExtraRootsSetParams", () => object({ extraRoots: array(AbsolutePathBuf()) }));
export type SkillsExtraRootsSetParams = Infer<typeof SkillsExtraRootsSetParams>;

export const SkillsExtraRootsSetResponse = named("SkillsExtraRootsSetResponse", () => object({}));
export type SkillsExtraRootsSetResponse = Infer<typeof SkillsExtraRootsSetResponse>;

export const SkillsChangedNotification = named("SkillsChangedNotification", () => object({}));
export type SkillsChangedNotification = Infer<typeof SkillsChangedNotification>;

export const SkillsListEntry = named("SkillsListEntry", () =>
  object({ cwd: string(), errors: array(SkillErrorInfo()), skills: array(SkillMetadata()) }),
);
export type SkillsListEntry = Infer<typeof SkillsListEntry>;

export const SkillErrorInfo = named("SkillErrorInfo", () => object({ message: string(), path: string() }));
export type SkillErrorInfo = Infer<typeof SkillErrorInfo>;

export const SkillMetadata = named("SkillMetadata", () =>
  object({
    description: string(),
    enabled: boolean(),
    name: string(),
    path: LegacyAppPathString(),
    scope: SkillScope(),
    dependencies: maybe(SkillDependencies()),
    interface: maybe(SkillInterface()),
    pluginId: maybe(string()),
    shortDescription: maybe(string()),
  }),
);
export type SkillMetadata = Infer<typeof SkillMetadata>;

export const SkillDependencies = named("SkillDependencies", () => object({ tools: array(SkillToolDependency()) }));
export type SkillDependencies = Infer<typeof SkillDependencies>;

export const SkillInterface = named("SkillInterface", () =>
  object({
    brandColor: maybe(string()),
    defaultPrompt: maybe(string()),
    displayName: maybe(string()),
    iconLarge: maybe(AbsolutePathBuf()),
    iconLargeUrl: maybe(string()),
    iconSmall: maybe(AbsolutePathBuf()),
    iconSmallUrl: maybe(string()),
    shortDescription: maybe(string()),
  }),
);
export type SkillInterface = Infer<typeof SkillInterface>;

export const SkillScope = named("SkillScope", () => literals("user", "repo", "system", "admin"));
export type SkillScope = Infer<typeof SkillScope>;

export const SkillToolDependency = named("SkillToolDependency", () =>
  object({
    type: string(),
    value: string(),
    command: maybe(string()),
    description: maybe(string()),
    transport: maybe(string()),
    url: maybe(string()),
  }),
);
export type SkillToolDependency = Infer<typeof SkillToolDependency>;

export const skillsRequests = {
  "skills/list": request({ params: SkillsListParams, result: SkillsListResponse }),
  "skills/config/write": request({ params: SkillsConfigWriteParams, result: SkillsConfigWriteResponse }),
  "skills/extraRoots/set": request({ params: SkillsExtraRootsSetParams, result: SkillsExtraRootsSetResponse }),
};

export const skillsNotifications = {
  "skills/changed": notification(SkillsChangedNotification),
};
