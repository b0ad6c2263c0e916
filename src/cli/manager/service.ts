/** `parley manager --print-service`: a unit for systemd or launchd that keeps the manager running for this user. */
import path from "node:path";

export const serviceManagers = ["systemd", "launchd"] as const;
export type ServiceManager = (typeof serviceManagers)[number];

export interface Service {
  /** Absolute: program, script if there is one, and the manager's own arguments. */
  readonly command: readonly string[];
  readonly home: string;
  /** The PATH of the service; a user's shell settings are not read there. */
  readonly searchPath: string;
}

export const serviceText = (of: ServiceManager, service: Service): string => (of === "systemd" ? unit(service) : propertyList(service));

function unit({ command, home, searchPath }: Service): string {
  return `# ~/.config/systemd/user/parley.service
# systemctl --user enable --now parley; loginctl enable-linger keeps it running without a session.
# Keys of model providers: one NAME=value a line in ${path.join(home, "parley", "service.env")}, mode 0600.
[Unit]
Description=Parley: coding agents in one place
After=network-online.target

[Service]
ExecStart=${command.map(systemdArgument).join(" ")}
Environment=${systemdArgument(`CODEX_HOME=${home}`)}
Environment=${systemdArgument(`PATH=${searchPath}`)}
EnvironmentFile=-${path.join(home, "parley", "service.env").replaceAll("%", "%%")}
Restart=on-failure
RestartSec=2
KillMode=mixed
TimeoutStopSec=20
UMask=0077

[Install]
WantedBy=default.target
`;
}
/** Quoted, with systemd's special characters doubled. */
const systemdArgument = (arg: string): string => {
  const plain = arg.replaceAll("%", "%%").replaceAll("$", "$$$$");
  return /^[\w@%+=:,./$-]+$/.test(plain) ? plain : `"${plain.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
};

function propertyList({ command, home, searchPath }: Service): string {
  const strings = command.map((argument) => `    <string>${xml(argument)}</string>`).join("\n");
  const log = path.join(home, "parley", "log", "service.log");
  return `<?xml version="1.0" encoding="UTF-8"?>
<!-- ~/Library/LaunchAgents/parley.manager.plist; launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/parley.manager.plist -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>parley.manager</string>
  <key>ProgramArguments</key>
  <array>
${strings}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>CODEX_HOME</key>
    <string>${xml(home)}</string>
    <key>PATH</key>
    <string>${xml(searchPath)}</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>Umask</key>
  <integer>63</integer>
  <key>StandardErrorPath</key>
  <string>${xml(log)}</string>
</dict>
</plist>
`;
}
const xml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
