/**
 * The first program of bubblewrap's sandbox for a command with a proxy: opens the proxy's socket in the sandbox's own network, passes it to
 * the server, and becomes the next program. Like the Landlock program it is machine code of a few hundred bytes.
 */
import { channelDescriptor, listenAddress, listenerMessage } from "../../network/listener.ts";
import type { FilterArch } from "../seccomp.ts";
import { executable, type Register, type Step } from "./machine-code.ts";

/** System call numbers. */
const calls = {
  x64: { write: 1, close: 3, socket: 41, sendmsg: 46, bind: 49, listen: 50, execve: 59, exit: 231 },
  arm64: { write: 64, close: 57, socket: 198, sendmsg: 211, bind: 200, listen: 201, execve: 221, exit: 94 },
};

const failure = "parley: the proxy's socket could not be opened in the sandbox\n";
const afInet = 2n;
/** A stream socket that the command does not inherit. */
const streamCloseOnExec = 1n | 0o2000000n;
const backlog = 128n;

/** Places below the stack at which the message is put together: struct msghdr, struct iovec, struct cmsghdr with the descriptor. */
const room = -256;
const vector = 64;
const control = 96;
/** SOL_SOCKET and SCM_RIGHTS, four bytes each. */
const passesDescriptor = 1n | (1n << 32n);

/** The executable. Its arguments are the next program and that program's arguments, from its name on. */
export const listenStep = (arch: FilterArch): Uint8Array =>
  executable(arch, {
    steps: steps(arch),
    data: { address: listenAddress(), message: Buffer.from(listenerMessage), failure: Buffer.from(failure) },
  });

/** `k0` is the socket, `k1` the message, `k3` the address of argc. */
function steps(arch: FilterArch): Step[] {
  const call = calls[arch];
  const must: Step = { do: "jumpIf", what: "result", is: "<", than: 0, to: "fail" };
  return [
    { do: "stack", to: "k3" },
    ...[set("a0", afInet), set("a1", streamCloseOnExec), set("a2", 0n), { do: "call", number: call.socket } as const, must],
    copy("k0", "result"),
    ...[copy("a0", "k0"), address("a1", "address"), set("a2", 16n), { do: "call", number: call.bind } as const, must],
    ...[copy("a0", "k0"), set("a1", backlog), { do: "call", number: call.listen } as const, must],

    ...[copy("k1", "k3"), { do: "add", to: "k1", value: room } as const],
    ...[0, 8, 48].flatMap((at) => put(at, set("a0", 0n))),
    ...put(16, copy("a0", "k1"), { do: "add", to: "a0", value: vector }),
    ...put(24, set("a0", 1n)),
    ...put(32, copy("a0", "k1"), { do: "add", to: "a0", value: control }),
    ...put(40, set("a0", 24n)),
    ...put(vector, address("a0", "message")),
    ...put(vector + 8, set("a0", BigInt(listenerMessage.length))),
    ...put(control, set("a0", 20n)),
    ...put(control + 8, set("a0", passesDescriptor)),
    ...put(control + 16, copy("a0", "k0")),
    ...[set("a0", BigInt(channelDescriptor)), copy("a1", "k1"), set("a2", 0n), { do: "call", number: call.sendmsg } as const, must],
    ...[set("a0", BigInt(channelDescriptor)), { do: "call", number: call.close } as const],

    // The environment follows the arguments and a zero.
    { do: "load", to: "k1", at: "k3", offset: 0 },
    ...[1, 2, 3].map((): Step => ({ do: "addRegister", to: "k1", from: "k1" })),
    ...[{ do: "addRegister", to: "k1", from: "k3" } as const, { do: "add", to: "k1", value: 16 } as const],
    { do: "add", to: "k3", value: 16 },
    ...[{ do: "load", to: "a0", at: "k3", offset: 0 } as const, copy("a1", "k3"), copy("a2", "k1")],
    { do: "call", number: call.execve },

    { do: "label", name: "fail" },
    ...[set("a0", 2n), address("a1", "failure"), set("a2", BigInt(failure.length)), { do: "call", number: call.write } as const],
    ...[set("a0", 126n), { do: "call", number: call.exit } as const],
  ];
}

const set = (to: Register, value: bigint): Step => ({ do: "set", to, value });
const copy = (to: Register, from: Register): Step => ({ do: "copy", to, from });
const address = (to: Register, of: string): Step => ({ do: "address", to, of });

/** Stores what the steps leave in `a0` at an offset of the message. */
const put = (offset: number, ...value: readonly Step[]): Step[] => [...value, { do: "store", from: "a0", at: "k1", offset }];
