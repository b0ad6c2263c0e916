/** All routes of the manager as data: the single source for validation, the OpenAPI document and the typed client. */
import { accessRoutes } from "./api/access.ts";
import { automationRoutes } from "./api/automation.ts";
import type { AnswerOf, BodyOf, PathOf, QueryOf, Route, RouteKey } from "./api/define.ts";
import { engineRoutes } from "./api/engine.ts";
import { fileRoutes } from "./api/files.ts";
import { fleetRoutes } from "./api/fleet.ts";
import { gitRoutes } from "./api/git.ts";
import { listRoutes } from "./api/lists.ts";
import { pluginRoutes } from "./api/plugins.ts";
import { projectRoutes } from "./api/projects.ts";
import { pushRoutes } from "./api/push.ts";
import { requestRoutes } from "./api/requests.ts";
import { searchRoutes } from "./api/search.ts";
import { sessionRoutes } from "./api/sessions.ts";
import { sharingRoutes } from "./api/sharing.ts";
import { terminalRoutes } from "./api/terminals.ts";
import { waitingWorkRoutes } from "./api/waiting-work.ts";

export const routes = {
  ...accessRoutes,
  ...automationRoutes,
  ...engineRoutes,
  ...fileRoutes,
  ...fleetRoutes,
  ...gitRoutes,
  ...listRoutes,
  ...pluginRoutes,
  ...projectRoutes,
  ...pushRoutes,
  ...searchRoutes,
  ...sessionRoutes,
  ...sharingRoutes,
  ...terminalRoutes,
  ...waitingWorkRoutes,
  ...requestRoutes,
} as const satisfies Record<RouteKey, Route>;

export type Routes = typeof routes;
export type RouteName = keyof Routes;

/** A route's input and its successful response. */
export type RouteInput<K extends RouteName> = {
  readonly path: PathOf<K>;
  readonly query: QueryOf<Routes[K]>;
  readonly body: BodyOf<Routes[K]>;
};
export type RouteOutput<K extends RouteName> = AnswerOf<Routes[K], 200> | AnswerOf<Routes[K], 202>;
