/** The folders that are worked in, for whatever depends on a folder: hooks, plugins. */
import type { Manager } from "./manager.ts";

/** So many are looked at in one go. */
const maxFolders = 32;

/** The engine's own folder, those of projects, and those of the newest sessions. */
export function foldersInUse(manager: Manager): string[] {
  const ofProjects = manager.store.state.projects.flatMap(({ workingDirectory }) => (workingDirectory === null ? [] : [workingDirectory]));
  const newest = [...manager.sessions.all()].sort((a, b) => b.thread.updatedAt - a.thread.updatedAt);
  return [...new Set([manager.engine.cwd, ...ofProjects, ...newest.map(({ thread }) => thread.cwd)])].slice(0, maxFolders);
}
