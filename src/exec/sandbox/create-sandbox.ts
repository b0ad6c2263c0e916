/** The sandbox of a platform. */
import { LinuxSandbox } from "./linux-sandbox.ts";
import { SeatbeltSandbox } from "./macos-seatbelt.ts";
import type { PlatformSandbox, SandboxContext } from "./platform-sandbox.ts";
import { NoSandbox } from "./windows.ts";

export function createSandbox(platform: NodeJS.Platform, context: SandboxContext): PlatformSandbox {
  if (platform === "linux") return new LinuxSandbox(context);
  if (platform === "darwin") return new SeatbeltSandbox(context);
  return new NoSandbox(platform);
}
