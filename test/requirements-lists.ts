/** Required behaviour of lists, projects, attachments, processes, memories and small answers; part of `requirements.ts`. */
const source = "observed 0.166";

export const listRequirements = {
  "process.lifetime": { source, says: "process/* runs programs without a sandbox, with input, terminal, caps and time limits" },
  "process.refused": { source, says: "process/* names what is wrong, and refuses more programs than a connection may run" },
  "process.endsWithConnection": { source, says: "a client's programs end with its connection" },
  "process.administrator": { source: "Parley", says: "an administrator who forbids full access forbids process/spawn" },
  "environment.local": { source, says: "environment/status and environment/info know this machine and no other" },
  "service.answers": { source, says: "what needs the vendor's service or another platform is answered truthfully" },
  "service.refusals": { source, says: "what Codex refuses without its service is refused with its codes and messages" },
  "service.feedback": { source, says: "feedback/save writes a zip file at the path that was given, and never over another file" },
} as const;
