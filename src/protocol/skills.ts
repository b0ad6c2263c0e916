/** Skills: folders with instructions that can be called by name. Implemented in server/skills.ts and skills/. */
import { array, boolean, type Infer, literals, maybe, named, object, optional, string } from "../lib/schema.ts";
import { byConfig, notification, request } from "./define.ts";
import { invalidParams } from "./errors.ts";
import { LegacyAppPathString } from "./item.ts";
import { limitAbsolutePath, limitPath } from "./limits.ts";
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
  /** Lists the skills of one or more folders, and the files that could not be read. */
  "skills/list": request({
    params: SkillsListParams,
    result: SkillsListResponse,
    limits({ cwds }) {
      for (const cwd of cwds ?? []) limitPath("cwds", cwd);
    },
  }),
  /** Enables or disables a skill, by its path or its name. */
  "skills/config/write": request({
    params: SkillsConfigWriteParams,
    result: SkillsConfigWriteResponse,
    order: byConfig,
    limits({ name, path }) {
      const given = [name, path].filter((value) => value !== null && value !== undefined && value.trim() !== "");
      if (given.length !== 1) throw invalidParams("skills/config/write requires exactly one of path or name");
      limitAbsolutePath("path", path);
    },
  }),
  /** Sets additional folders that are searched for skills, until the server exits. */
  "skills/extraRoots/set": request({
    params: SkillsExtraRootsSetParams,
    result: SkillsExtraRootsSetResponse,
    order: byConfig,
    limits({ extraRoots }) {
      for (const root of extraRoots) limitAbsolutePath("extraRoots", root);
    },
  }),
};

export const skillsNotifications = {
  /** Skills have changed; request the list again. */
  "skills/changed": notification(SkillsChangedNotification),
};
