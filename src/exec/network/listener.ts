/**
 * How the server listens inside a command's own network: the first program of the sandbox opens the socket there and passes it to the
 * server over Node's channel between processes. Nothing else of the machine can reach it, and the command gets no other network.
 */

/** Outside the range from which the kernel takes ports, and none that development servers use. */
export const proxyPort = 61_080;

/** Descriptor of the channel in the sandbox's first program. */
export const channelDescriptor = 6;

/** What Node expects on its channel beside the socket: this handle is the socket itself. */
export const listenerMessage = '{"cmd":"NODE_HANDLE","type":"net.Native","msg":"listener"}\n';

/** Variables by which Node announces the channel to a child: nothing inside a sandbox may see them. */
export const channelVariables = ["NODE_CHANNEL_FD", "NODE_CHANNEL_SERIALIZATION_MODE"];

/** The address 127.0.0.1 with the port, as the kernel reads it. */
export function listenAddress(): Uint8Array {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt16LE(2, 0); // AF_INET
  bytes.writeUInt16BE(proxyPort, 2);
  bytes.set([127, 0, 0, 1], 4);
  return bytes;
}
