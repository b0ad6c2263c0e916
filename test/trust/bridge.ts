/** Cases 138 to 165, and from 600 on: listeners, the manager's request guard and its page. */
import type { CaseTable } from "./table.ts";

const socket = "src/rpc/websocket.test.ts";
const guard = "src/manager/request-guard.test.ts";
const page = "test/web/hostile.itest.ts";
const parts = "apps/web/src/parts/parts.test.ts";
const spelled = "apps/web/src/parts/requests/spelled.test.ts";
const conversation = `${page} > a conversation full of it: messages, reasoning, commands, files, tools, plans, errors, titles`;

export const bridgeCases: CaseTable = {
  138: ["no token", "E02", "src/manager/contract.test.ts > 401 without a token, with a wrong one, and with one in the address"],
  139: [
    "wrong, cut, doubled and empty tokens",
    "E03",
    `${socket} > the token must come in the Authorization header`,
    `${guard} > only its own host names are accepted, in every spelling`,
  ],
  140: ["guessing a token by time", "src/rpc/bearer.test.ts > a capability token is compared by its digest, whatever is sent"],
  141: ["a token in the address", "E04", `${socket} > the token must come in the Authorization header`],
  142: ["a foreign Origin", "E05", `${socket} > any Origin and any foreign Host are refused, even with the right token`],
  143: ["a foreign Host", "E06", `${socket} > any Origin and any foreign Host are refused, even with the right token`],
  144: [
    "every spelling of a Host",
    `${guard} > only its own host names are accepted, in every spelling`,
    `${socket} > any Origin and any foreign Host are refused`,
  ],
  145: ["an open address without a token", "E07", "test/scenarios/transport/sockets.itest.ts > is refused with an error message"],
  146: ["forms and plain requests of other pages", `${guard} > forms and requests of other pages change nothing`],
  147: ["leave for other origins", "E14", `${guard} > forms and requests of other pages change nothing`],
  148: ["paths that lead out of the page's folder", "E12", `${guard} > no path and no symbolic link leads out of the page's folder`],
  149: [
    "scripts, frames and odd links in a model's text",
    conversation,
    `${parts} > only addresses that a click may open become links`,
    "src/cli/threads/threads.test.ts > whatever an agent or a command prints, none of it becomes HTML tags",
  ],
  150: ["pictures from elsewhere in a model's text", conversation, `${page} > streamed piece by piece, it is as harmless as whole`],
  151: [
    "HTML in names, output, titles and branches",
    conversation,
    `${page} > every kind of request made of it`,
    `${page} > every other page and menu`,
  ],
  152: ["headers that forbid the rest", `${guard} > every response forbids frames, sniffing, referrers and scripts from elsewhere`],
  153: ["the page in a frame", `${guard} > every response forbids frames, sniffing, referrers and scripts from elsewhere`],
  154: [
    "an approval with escapes, direction marks, hidden and very many characters",
    `${spelled} > what is asked about is spelled out`,
    "src/tui/ask/ask.test.ts > what is approved is what is seen",
    "src/lib/terminal-text.test.ts > invisible and confusable characters are escaped",
    "test/hostile-text.test.ts > the terminal and the page spell out the same characters",
    `${spelled} > answers, questions and forms are spelled out too`,
  ],
  155: ["slow, huge and broken HTTP heads", "E11", "src/manager/manager.test.ts > the guard: foreign hosts and origins, wrong media types"],
  156: ["a websocket message of 256 MB", "E09", `${socket} > a message over the limit closes this connection with 1009 and no other`],
  157: ["bad websocket frames", "E08"],
  158: [
    "floods of messages and connections",
    "E10",
    "test/faults/crowd.itest.ts > clients that come and go, half of them rude, hold up nobody and leave nothing behind",
    "test/faults/crowd.itest.ts > a client that does not finish the handshake is disconnected",
  ],
  159: [
    "a websocket client that never reads",
    `${socket} > a client that does not read is disconnected with 1013 before its backlog exhausts the memory`,
  ],
  160: ["one client answers another's question"],
  161: [
    "a client goes with a question open, and comes back",
    "test/scenarios/approval/many-clients.itest.ts > three clients on one thread, then a fourth",
  ],
  162: [
    "tokens in logs, pages and process lists",
    "E13",
    "test/scenarios/transport/sockets.itest.ts > a capability token grants access, and is in no log line",
  ],
  163: [
    "token files that are short or open to others",
    "src/cli/flags.test.ts > auth flags that cannot work are refused",
    "test/manager.itest.ts > the token file is its owner's alone",
  ],
  164: [
    "requests that two readers would cut differently",
    `${guard} > requests that two parsers could split differently are refused`,
    `${socket} > health endpoints respond, everything else over plain HTTP is refused`,
  ],
  165: ["addresses to be opened that are none"],
  600: [
    "addresses that cannot be read, with an upgrade and without",
    `${guard} > no request target from an unknown client crashes it, with an upgrade or without`,
    `${socket} > no request target from an unknown client crashes the listener, with an upgrade or without`,
    "test/scenarios/mcp-server/process.itest.ts > over HTTP no address, header or body that a stranger sends ends the server",
  ],
  601: [
    "visits to the port on which a sign-in waits",
    "src/auth/callback-server.test.ts > unrelated requests do not end a waiting sign-in",
    "src/auth/callback-server.test.ts > a code that arrives twice is redeemed once, and both requests get the same response",
    "src/auth/callback-server.test.ts > a page that reaches this machine by DNS rebinding cannot end a sign-in",
  ],
  602: [
    "strangers who fill the log",
    `${socket} > no request target from an unknown client crashes the listener, with an upgrade or without`,
  ],
  610: [
    "websocket frames that break the protocol: unmasked, reserved bits, fragments without end, lengths beyond all memory",
    `${socket} > malformed frames close their own connection with the reason's code, and no other`,
  ],
  603: [
    "one client that does not read, beside others that do",
    "test/scenarios/transport/slow-readers.itest.ts > a stream waits while nobody keeps up, and continues when somebody does",
    "src/manager/stream.test.ts > a stream that is not read is closed with 1013, others receive everything, and it can reconnect",
  ],
  604: [
    "the cookie that a browser sends to every port of a host, and one that another port plants",
    "src/manager/page-key.test.ts > a cookie is not sufficient without the page's key, nor the key without the cookie",
    "src/manager/page-key.test.ts > a planted cookie does not shadow ours, and one that replaced ours is reported",
    "test/web/other-ports.itest.ts > the cookie that another port gets makes no link, reads nothing and opens no stream",
  ],
  605: [
    "a sign-in link that cannot be read",
    "test/web/other-ports.itest.ts > a link whose code cannot be read is refused with an error message",
  ],
  606: [
    "an engine behind --connect that sends what does not fit, or asks without end",
    "src/manager/foreign-engine.test.ts > invalid messages of a remote engine are rejected, and the manager keeps running",
    "src/manager/foreign-engine.test.ts > an engine that keeps asking is refused once two hundred requests are pending",
  ],
  607: ["made request heads, websocket openings and bodies", "test/fuzz/manager.ts > upgrades", "test/fuzz/manager.ts > bodies"],
  608: [
    "editors and MCP clients that send what none would: odd lines, floods, endless lines, answers that were not offered, too many calls",
    "test/faults/hostile-doors.itest.ts > invalid lines in one packet with valid ones do not affect these",
    "test/faults/hostile-doors.itest.ts > a flood of requests that nobody reads is answered to the last once it is read, in bounded memory",
    "test/faults/hostile-doors.itest.ts > a line over the limit is refused and the next one is read",
    "test/faults/hostile-doors.itest.ts > acp: a permission answered with anything but an offered choice counts as denied",
    "test/faults/hostile-doors.itest.ts > mcp-server: invalid arguments are errors for the calling model, and more parallel calls than can run are refused with an error message",
    "src/adapters/mcp-server/kept-events.test.ts > the number of events and characters is limited, and the oldest are dropped first",
  ],
  650: [
    "escape sequences, C1 controls and direction marks in what is printed for a person",
    "test/tui/hostile.itest.ts > a session full of it steers nothing, and what is asked about is spelled out",
    "test/tui/hostile.itest.ts > commands that print for a person steer nothing: exec, threads, doctor, mcp, errors",
    "src/adapters/exec/transcript.test.ts > no text of a model, a command or a server can control the terminal",
    "src/lib/terminal-text.test.ts > JSON for a terminal has the same value and contains nothing that controls it",
  ],
  651: [
    "a reason, an answer, a title or a path that pushes what is asked about off the screen",
    "src/tui/draw/frame.test.ts > whatever surrounds it, a command to approve is never truncated without a marker",
    "src/tui/draw/frame.test.ts > no answer, title or path pushes the subject of an approval off the screen",
  ],
  652: [
    "a new file whose text looks like a diff",
    `${spelled} > a new file is shown in full, even if it looks like a diff, and a change is escaped`,
  ],
  653: ["marks heaped on one letter", "src/lib/terminal-text.test.ts > stacked combining marks are cut"],
};
