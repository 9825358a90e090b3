// The summary that `npm start` prints once everything runs.
import type { Kept } from './kept.ts'

export interface Summary {
  readonly origin: string
  readonly sshPort: number
  /** Undefined when the first account was not made by the quickstart. */
  readonly kept: Kept | undefined
  readonly device: { readonly sshid: string; readonly password: string; readonly user: string } | undefined
  readonly json: boolean
}

export function printSummary({ origin, sshPort, kept, device, json }: Summary): void {
  const host = new URL(origin).hostname
  const command = device && `ssh -p ${sshPort} ${device.user}@${device.sshid}@${host}`
  if (json) {
    const summary = {
      api: origin,
      console: `${origin}/`,
      docs: `${origin}/docs/`,
      ssh: { host, port: sshPort },
      username: kept?.username ?? null,
      password: kept?.password ?? null,
      tenant: kept?.tenant ?? null,
      sshid: device?.sshid ?? null,
      ssh_command: command ?? null,
      device_password: device?.password ?? null,
    }
    process.stdout.write(`${JSON.stringify(summary)}\n`)
    return
  }
  const signIn = kept?.password
    ? `sign in as ${kept.username} with ${kept.password}`
    : 'sign in with your own account (its password has been changed since the first start)'
  const lines = [
    '',
    'Bowline is running.',
    '',
    `  Console   ${origin}/`,
    `            ${signIn}`,
    `  Docs      ${origin}/docs/`,
    '',
    ...(device && command
      ? ['  A shell on this machine, through Bowline:', '', `      ${command}`, `      password: ${device.password}`]
      : ['  No agent was started for this machine; `npm start -- --agent` does.']),
    '',
    'Ctrl-C stops it; what is in the data folder stays.',
    '',
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}
