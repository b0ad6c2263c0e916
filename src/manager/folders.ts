/** The folders in use, for features that depend on a folder: hooks, plugins. */
import type { Manager } from "./manager.ts";

/** Maximum number of folders returned. */
const maxFolders = 32;

/** The engine's own folder, the projects' folders, and those of the newest sessions. */
export function foldersInUse(manager: Manager): string[] {
  const ofProjects = manager.store.state.projects.flatMap(({ workingDirectory }) => (workingDirectory === null ? [] : [workingDirectory]));
  const newest = [...manager.sessions.all()].sort((a, b) => b.thread.updatedAt - a.thread.updatedAt);
  return [...new Set([manager.engine.cwd, ...ofProjects, ...newest.map(({ thread }) => thread.cwd)])].slice(0, maxFolders);
}
