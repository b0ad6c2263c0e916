/** Cases 166 to 192 and from 700 on: threats from repositories, MCP servers, skills and packages. */
import type { CaseTable } from "./table.ts";

const git = "src/workspace/git.test.ts";
const load = "src/config/load.test.ts";

export const supplyCases: CaseTable = {
  166: ["an MCP server of an unknown project", "C01"],
  167: ["a project's `.env`", "C02"],
  168: ["git's fsmonitor, hooks, pager, ssh command", "C03", `${git} > nothing that a repository configures is run`],
  169: [
    "git's filters and diff programs",
    `${git} > nothing that a repository configures is run`,
    "src/workspace/repositories.test.ts > a hostile repository runs nothing, in any operation",
  ],
  170: [
    "a project's sandbox, approvals, model server",
    "C05",
    `${load} > gives a folder's own settings no effect before the user trusts it, however broken they are`,
  ],
  171: ["a project's hooks and notify program", "src/config/write.test.ts > lists hooks of the user and of trusted folders only"],
  172: ["a project's allow rules", "C07"],
  173: ["opening a folder", "C08"],
  174: ["MCP servers that crash, hang, flood or are missing", "C09"],
  175: ["an MCP server's environment"],
  176: [
    "a key after a 401, with the log open",
    "C11",
    "src/main/log.test.ts > no line contains a secret: neither in the message nor in fields nor inside errors",
  ],
  177: ["modes of stored files", "C12", "src/store/local.test.ts > what is appended is read back, and the file is the owner's alone"],
  178: ["a broken config.toml", `${load} > naming file and key`],
  179: ["an AGENTS.md of 5 MB"],
  180: ["a writable thread in a new project", "C15"],
  181: ["a project marked untrusted", "C16"],
  182: ["an MCP server that was redefined after it was trusted"],
  183: [
    "a skill of an untrusted repository, with hidden text",
    "src/skills/skills.test.ts > has nothing of a project's skills before the user trusts it",
    "src/skills/skills.test.ts > follows no link out of a project",
  ],
  184: [
    "a tool that changes what it says of itself",
    "src/mcp/clean.test.ts > lose hidden characters: controls, direction marks, zero-width and tag characters",
  ],
  185: ["an MCP server that leads elsewhere", "src/lib/private-network.test.ts > a public server may not name private addresses"],
  186: ["an MCP answer of 100 MB, nested deeply, full of pictures", "src/mcp/clean.test.ts > are truncated, with a note"],
  187: ["an MCP server that wants a password or the model"],
  188: ["a token in a git remote's address", `${git} > addresses lose whatever could be a secret`],
  189: ["flags hidden in other values", "test/command-line.itest.ts > a prompt or a value that looks like flags is no flag"],
  190: [
    "our own package",
    "test/scripts.test.ts > a lockfile without addresses, scripts or gaps is fine",
    "test/supply.itest.ts > installing runs nothing, and versions are exact",
    "test/supply.itest.ts > nothing is looked up or connected to at start",
  ],
  191: [
    "files with odd names, and very many",
    "src/workspace/file-search.test.ts > the walker lists what ripgrep lists",
    "src/workspace/file-search.test.ts > more files than anybody wants are cut off, and the tool with them",
  ],
  192: ["code planted in every temp path that the server uses"],
  751: [
    "a hostile maker of an MCP server during a sign-in: answers without end or that never come, redirects, another issuer, other schemes, odd JSON",
    "src/auth/hostile-oauth.test.ts > an endless response is rejected",
    "src/auth/hostile-oauth.test.ts > a response that never arrives times out",
    "src/auth/hostile-oauth.test.ts > redirects are never followed: in a loop, to another scheme, to the cloud's metadata address",
    "src/auth/hostile-oauth.test.ts > metadata of another issuer is rejected",
    "src/auth/hostile-oauth.test.ts > endpoints with other schemes, and the cloud's metadata address, are not requested",
    "src/auth/hostile-oauth.test.ts > a server that names another issuer later does not get the first one's credentials",
    "src/auth/hostile-oauth.test.ts > malformed JSON gives a readable error",
    "src/auth/hostile-oauth.test.ts > an invalid token, and an endless one, end the sign-in with a short message",
  ],
  750: [
    "an MCP server whose stream never ends an event, or ends at once and is to be asked for again at once",
    "src/mcp/transport.test.ts > an event of endless short lines ends the stream; many events do not",
    "src/mcp/transport.test.ts > a server that ends its stream at once and requests an immediate retry is asked once a second",
  ],
  700: [
    "settings planted in a folder of a trusted project",
    "src/config/project-trust.test.ts > a file below the root never takes effect unless accepted",
    "src/config/project-trust.test.ts > initial settings at the root take effect",
  ],
  701: ["rules that change in a trusted project", "src/config/project-trust.test.ts > rules files are bound to their content"],
  702: ["skills that come into a trusted project"],
  703: ["the record of what was accepted, broken or swapped", "src/config/project-trust.test.ts > an unreadable record accepts nothing"],
};
