import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Fault } from '../domain/fault.ts';
import { OUTSIDE } from '../sandbox/cgroup-place.ts';

export const SERVICE_KINDS = ['systemd', 'launchd'] as const;
export type ServiceKind = (typeof SERVICE_KINDS)[number];

/** What a service manager is to start, and in which surroundings. */
export interface Service {
  readonly home: string;
  /** Whether that is where a home is when nobody says anything. */
  readonly isUsualHome: boolean;
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Without secrets: the text of a service is no place for them. */
  readonly env: Readonly<Record<string, string>>;
  /** The user's own directory. */
  readonly userHome: string;
}

export interface ServiceText {
  readonly kind: ServiceKind;
  readonly name: string;
  /** Where it belongs. */
  readonly file: string;
  readonly text: string;
}

/** The description of a service that runs this home from now on. A home of its own has a service of its own. */
export function serviceText(kind: ServiceKind, service: Service): ServiceText {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is being refused
  for (const text of [...service.command, ...Object.values(service.env), service.home])
    if (/[\u0000-\u001f\u007f]/.test(text))
      throw new Fault('invalid', `${JSON.stringify(text)} holds a control character, which the text of a service cannot`);
  const mark = service.isUsualHome ? '' : `-${createHash('sha256').update(service.home).digest('hex').slice(0, 8)}`;
  const name = kind === 'systemd' ? `fleet${mark}.service` : `dev.fleet.fleet${mark}`;
  return kind === 'systemd' ? systemd(name, service) : launchd(name, service);
}

/** What stands in a comment must not end it, and a person must be able to paste it. */
const shellWord = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

function systemd(name: string, { home, command, env, userHome }: Service): ServiceText {
  const file = join(userHome, '.config/systemd/user', name);
  const text = `# A service of your own user, for systemd. To install it:
#   mkdir -p ~/.config/systemd/user
#   fleet up --print-service systemd > ${shellWord(file)}
#   systemctl --user daemon-reload
#   systemctl --user enable --now ${name}
# It begins when you log in; so that it also runs without: loginctl enable-linger
# Variables of its own, like keys, go into the file that EnvironmentFile names, one NAME=value on a line.

[Unit]
Description=Fleet, agents that work on your repositories
After=network-online.target

[Service]
Type=exec
ExecStart=${execLine(command)}
${Object.entries(env)
  .map(([variable, value]) => `Environment=${inUnit(`${variable}=${value}`)}`)
  .join('\n')}
EnvironmentFile=-${join(home, 'service.env').replaceAll('%', '%%')}
# Agents outlive Fleet on purpose: the next one takes them over.
KillMode=process
# So that the kernel holds each sandbox to its limits. The leaf is known to systemd 254 and newer; older ones pass over it.
Delegate=yes
DelegateSubgroup=${OUTSIDE}
Restart=on-failure
RestartSec=5

[Install]
WantedBy=default.target
`;
  return { kind: 'systemd', name, file, text };
}

/** systemd starts no program whose own path is awkward, so one that is neither reads nor quotes starts that. */
function execLine(command: readonly string[]): string {
  const isPlain = /^[\w@+.,:/-]+$/.test(command[0] ?? '');
  const words = isPlain ? command : ['/bin/sh', '-c', 'exec "$0" "$@"', ...command];
  return words.map((word) => inUnit(word).replaceAll('$', '$$$$')).join(' ');
}

/** One word of a unit file: quoted, and with nothing that stands for something else. */
const inUnit = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`;

function launchd(name: string, { home, command, env, userHome }: Service): ServiceText {
  const file = join(userHome, 'Library/LaunchAgents', `${name}.plist`);
  const log = join(home, 'logging', 'service.log');
  const string = (text: string) => `<string>${inXml(text)}</string>`;
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!--
  A service of your own user, for launchd. To install it:
    fleet up - -print-service launchd > ${inComment(shellWord(file))}
    launchctl bootstrap gui/$(id -u) ${inComment(shellWord(file))}
  (without the space between the hyphens, which a comment may not hold in a row)
-->
<plist version="1.0">
<dict>
  <key>Label</key>
  ${string(name)}
  <key>ProgramArguments</key>
  <array>
${command.map((word) => `    ${string(word)}`).join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${Object.entries(env)
  .map(([variable, value]) => `    <key>${inXml(variable)}</key>\n    ${string(value)}`)
  .join('\n')}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <!-- Agents outlive Fleet on purpose: the next one takes them over. -->
  <key>AbandonProcessGroup</key>
  <true/>
  <key>ProcessType</key>
  <string>Background</string>
  <key>StandardOutPath</key>
  ${string(log)}
  <key>StandardErrorPath</key>
  ${string(log)}
</dict>
</plist>
`;
  return { kind: 'launchd', name, file, text };
}

const inXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const inComment = (text: string): string => text.replaceAll('--', '- -');
