/** Required behaviour of lists, projects, attachments, processes, memories and small answers; part of `requirements.ts`. */
const source = "observed 0.166";

export const listRequirements = {
  "lists.sections": { source, says: "threads are pinned, sorted into sections and listed in a section's order, page by page" },
  "lists.sectionErrors": { source, says: "sections refuse what does not exist, and the built-in one stays as it is" },
  "lists.readMarks": {
    source,
    says: "a turn leaves its thread unread; clients mark threads, unless the mark has changed since they saw it",
  },
  "lists.projects": { source, says: "projects group folders and threads; a repeated key creates no second one" },
  "lists.attachments": { source, says: "what is attached to a thread is listed from both sides, once" },
  "lists.attachedForks": { source, says: "forks that stay attached are listed by the thread they come from" },
  "lists.survive": {
    source: "Parley",
    says: "sections, projects, attachments and read marks survive a restart, and are one for all servers of a home",
  },
  "lists.fromCodex": { source: "Parley", says: "sections, projects, attachments and read marks of Codex are taken over once" },
  "lists.damaged": { source: "Parley", says: "a damaged file of lists is moved aside and hides no thread" },
  "migration.import": {
    source,
    says: "instructions, settings, skills, commands, kinds of agents, hooks and MCP servers of another agent are found, imported and remembered",
  },
  "migration.untrusted": {
    source: "Parley",
    says: "imported hooks and MCP servers do not run before the user has trusted them, and no secret is copied",
  },
  "migration.sessions": {
    source: "observed 0.166",
    says: "recent sessions of another agent become threads of their own, once, that can be read and continued",
  },
  "migration.plugins": {
    source: "observed 0.166",
    says: "plugins that another agent has enabled are installed from their marketplaces, and stay switched off",
  },
  "migration.careful": {
    source: "Parley",
    says: "nothing is overwritten by an import, links are not followed, and damaged or huge files of another agent are left out",
  },
  "lists.parts": { source, says: "single items, the places of a text and a time line are read from a thread, page by page" },
  "lists.sample": {
    source,
    says: "thread/sample asks the model beside the thread: nothing is stored or announced, and it can be cancelled",
  },
  "memory.read": { source, says: "with features.memories the model reads the summary of the memories, once" },
  "memory.methods": { source, says: "memories are read and reset, and the memory mode is written where Codex looks for it" },
  "memory.link": { source: "Parley", says: "memory/reset deletes nothing behind a link" },
  "process.lifetime": { source, says: "process/* runs programs without a sandbox, with input, terminal, caps and time limits" },
  "process.refused": { source, says: "process/* names what is wrong, and refuses more programs than a connection may run" },
  "process.endsWithConnection": { source, says: "a client's programs end with its connection" },
  "process.administrator": { source: "Parley", says: "an administrator who forbids full access forbids process/spawn" },
  "environment.local": { source, says: "environment/status and environment/info know this machine and no other" },
  "service.answers": { source, says: "what needs the vendor's service or another platform is answered truthfully" },
  "service.refusals": { source, says: "what Codex refuses without its service is refused with its codes and messages" },
  "service.feedback": { source, says: "feedback/save writes a zip file at the path that was given, and never over another file" },
} as const;
