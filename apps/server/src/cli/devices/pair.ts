// `bowline device pair`: adds a device by the code that it shows, as the person who is signed in.
import { ConfigError } from '@bowline/contract/config'
import { ApiError, createClient } from '@bowline/contract/client'
import { LIMITS } from '@bowline/contract/limits'
import { operations } from '@bowline/contract/operations'
import type { WaitingPairing } from '@bowline/contract/schemas/fleet/pairing'
import { TenantId } from '@bowline/contract/schemas/common'
import type { Command } from 'commander'
import { type Format, type Terminal, show } from '../terminal.ts'
import { currentSignIn } from '../client/login.ts'

const { namespaces, pairings } = operations

interface Options extends Format {
  readonly fingerprint?: string
  readonly name?: string
}

/** @param device the command `bowline device` */
export function addPairCommand(device: Command, terminal: Terminal): void {
  device
    .command('pair <code>')
    .description('Add the device that shows a code to the namespace that you are signed in to')
    .option('--fingerprint <fingerprint>', 'of the key that the device shows; adds it without a question')
    .option('--name <name>', "instead of the device's own")
    .option('--json', 'print JSON')
    .action(async (code: string, { fingerprint, name, ...format }: Options) => {
      const { server, token, person } = await currentSignIn(terminal)
      const api = createClient({ origin: server, token: () => token })
      const tenant = TenantId.safeParse(person.tenant).data
      if (tenant === undefined) throw new ConfigError(['You belong to no namespace.'])
      try {
        const { body: namespace } = await api.call(namespaces.get, { params: { tenant } })
        const { body: waiting } = await api.call(pairings.describe, { body: { code } })
        for (const line of describe(waiting)) terminal.complain(line)
        const meant = fingerprint ?? (await compared(terminal, waiting, namespace.name))
        const body = { code, fingerprint: meant, ...(name === undefined ? {} : { name }) }
        const { body: added } = await api.call(pairings.confirm, { body })
        show(terminal, format, { ...added, namespace: namespace.name }, [
          added.status === 'accepted'
            ? `Added ${added.name} to ${namespace.name}.`
            : `Added ${added.name} to ${namespace.name}, where it is ${added.status}: compare its key with that of the device it replaces, and accept it in the console.`,
        ])
      } catch (error) {
        throw explained(error)
      }
    })
}

/** The fingerprint, once the person has compared it. @throws {Error} otherwise */
async function compared(terminal: Terminal, { fingerprint }: WaitingPairing, namespace: string): Promise<string> {
  if (!terminal.ask) throw new ConfigError([`If it is the device that you mean, add --fingerprint ${fingerprint}`])
  const answer = await terminal.ask(`Does the device show this fingerprint? Add it to ${namespace} [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error('The device was not added.')
  return fingerprint
}

function describe({ name, info, source, place, fingerprint, expires_in, replaces }: WaitingPairing): string[] {
  const age = Math.max(0, LIMITS.pairingCode.minutes - Math.ceil(expires_in / 60))
  const rows: readonly (readonly [string, string])[] = [
    ['Device', name],
    ['System', `${info.pretty_name}, ${info.arch}, agent ${info.version}`],
    ['Address', place === '' ? source : `${source} (${place})`],
    ['Fingerprint', fingerprint],
    ['Asked', age < 1 ? 'just now' : `${age} min ago`],
    ...(replaces ? [['Replaces', `${replaces.name}, whose key is ${replaces.fingerprint}`] as const] : []),
  ]
  return rows.map(([what, value]) => `${what.padEnd(13)}${value}`)
}

function explained(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error
  if (error.status === 404) {
    return new Error('No device waits under this code. It may have expired: the device shows its current one.')
  }
  if (error.code !== 'FRESH_PROOF_REQUIRED') return error
  return new Error('This namespace asks for your second factor before a device is added: add it in the console.')
}
