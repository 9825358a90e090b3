// `bowline public-key …`: lists SSH keys of a namespace and transfers them.
import { ConfigError } from '@bowline/contract/config'
import { UserId } from '@bowline/contract/schemas/common'
import type { PublicKey } from '@bowline/contract/schemas/public-key'
import type { Command } from 'commander'
import type { TenantContext } from '../context.ts'
import { listAccounts } from '../users/service.ts'
import { handOver, listOwned } from '../public-keys/service.ts'
import { type Instance, onInstance } from './instance.ts'
import { type Format, type Terminal, show, table } from './terminal.ts'
import { accountOf } from './accounts/users.ts'

interface Selection {
  /** Username or e-mail address, also of a deleted account. */
  readonly of?: string
  readonly disabled?: boolean
}

export function addPublicKeyCommands(program: Command, terminal: Terminal): void {
  const key = program.command('public-key').description('SSH keys of a namespace')

  key
    .command('list <namespace>')
    .description('List the keys')
    .option('--of <user>', 'those of this person, also the disabled ones of somebody who has left')
    .option('--disabled', 'those without an owner, which sign nobody in')
    .option('--json', 'print JSON')
    .action((name: string, { json, ...selection }: Format & Selection) =>
      onInstance(terminal, async (instance) => {
        const keys = await select(instance, instance.contextOf(await instance.tenantOf(name)), selection)
        const accounts = await listAccounts(instance.system)
        const rows = keys.map((one) => [
          one.name,
          one.fingerprint_sha256,
          ownerText(one, accounts.find(({ id }) => id === one.owner)?.username),
        ])
        show(terminal, json ? { json } : {}, keys, table(['NAME', 'FINGERPRINT', 'OWNER'], rows))
      }),
    )

  key
    .command('hand-over <namespace> <owner> [fingerprint...]')
    .description(
      'Make a member the owner of keys, which enables disabled ones; fingerprints as ssh-keygen -l prints them',
    )
    .option('--of <user>', 'all keys of this person, also the disabled ones of somebody who has left')
    .option('--json', 'print JSON')
    .action((name: string, to: string, fingerprints: string[], { json, of }: Format & Selection) => {
      if ((fingerprints.length === 0) === (of === undefined)) {
        throw new ConfigError(['Say which keys: their fingerprints, or --of <user>.'])
      }
      return onInstance(terminal, async (instance) => {
        const ctx = instance.contextOf(await instance.tenantOf(name))
        const owner = await accountOf(instance, to)
        const chosen =
          of === undefined ? named(await listOwned(ctx), fingerprints) : await select(instance, ctx, { of })
        const wanted = chosen.map((one) => (typeof one === 'string' ? one : one.fingerprint))
        const keys = await handOver(ctx, wanted, UserId.parse(owner.id))
        show(terminal, json ? { json } : {}, keys, [
          ...keys.map((one) => `${one.name} (${one.fingerprint_sha256}) belongs to ${owner.username} now.`),
          ...(keys.length === 0 ? [`${of} has no keys in ${name}.`] : []),
        ])
      })
    })
}

/** Keys by a fingerprint of either kind; an unknown one stays as it is. */
function named(keys: readonly PublicKey[], fingerprints: readonly string[]): readonly (PublicKey | string)[] {
  return fingerprints.map(
    (typed) =>
      keys.find(({ fingerprint, fingerprint_sha256: sha256 }) => typed === fingerprint || typed === sha256) ?? typed,
  )
}

async function select(instance: Instance, ctx: TenantContext, { of, disabled }: Selection): Promise<PublicKey[]> {
  const keys = await listOwned(ctx)
  const account = of === undefined ? undefined : await findPerson(instance, of)
  return keys.filter(
    (key) =>
      (!disabled || key.disabled) &&
      (account === undefined || key.owner === account.id || (key.disabled && key.former_owner === account.email)),
  )
}

/** Finds an account. Of a deleted one only the e-mail address is known, which its disabled keys carry. */
async function findPerson(instance: Instance, of: string): Promise<{ id: string | undefined; email: string }> {
  const accounts = await listAccounts(instance.system)
  const typed = of.toLowerCase()
  const known = accounts.find(({ username, email }) => username === typed || email === typed)
  return known ?? { id: undefined, email: typed }
}

function ownerText({ owner, disabled, former_owner: former }: PublicKey, username: string | undefined): string {
  if (disabled) return former === '' ? 'disabled' : `disabled, was of ${former}`
  return owner === null ? 'service key' : (username ?? owner)
}
