// `bowline scim …`: provisioning of a namespace's members by its identity provider.
import { ConfigError } from '@bowline/contract/config'
import { fail } from '@bowline/contract/errors'
import { UserId } from '@bowline/contract/schemas/common'
import { ScimTokenName } from '@bowline/contract/schemas/scim'
import type { Command } from 'commander'
import { getNamespace } from '../namespaces/service.ts'
import { type ScimSettingsDeps, createToken, getScim, removeToken, updateScim } from '../scim/settings.ts'
import { ScimTurns } from '../scim/turns.ts'
import { type Instance, onInstance, originOfSettings } from './instance.ts'
import { type Format, type Terminal, show, table } from './terminal.ts'

/** Commands that change one setting. */
const SWITCHES = [
  {
    verb: 'enable',
    description: 'Let the identity provider manage members and roles',
    change: { enabled: true },
    done: (name: string) => `Provisioning of ${name} is on.`,
  },
  {
    verb: 'disable',
    description: 'Stop it; members stay as they are',
    change: { enabled: false },
    done: (name: string) => `Provisioning of ${name} is off.`,
  },
  {
    verb: 'trust',
    description: 'Make people whom the identity provider has prepared members when they sign in, without asking them',
    change: { joins_at_sign_in: true },
    done: () => howJoins(true),
  },
  {
    verb: 'distrust',
    description: 'Let people accept an invitation first, which is the default',
    change: { joins_at_sign_in: false },
    done: () => howJoins(false),
  },
] as const

export function addScimCommands(program: Command, terminal: Terminal): void {
  const scim = program.command('scim').description('provisioning of members by an identity provider (SCIM 2.0)')

  scim
    .command('show <namespace>')
    .description('Show the switch, the base URL, tokens and the roles of groups')
    .option('--json', 'print JSON')
    .action((name: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const found = await getScim(depsOf(instance), instance.contextOf(await instance.tenantOf(name)))
        show(terminal, format, found, [
          `Provisioning is ${found.enabled ? 'on' : 'off'}.`,
          `Base URL: ${found.base_url}`,
          `Role without a group: ${found.default_role}`,
          howJoins(found.joins_at_sign_in),
          ...table(
            ['GROUP', 'ROLE'],
            found.roles.map(({ group, role }) => [group, role]),
          ),
          ...table(
            ['TOKEN', 'LAST USED'],
            found.tokens.map((token) => [token.name, token.last_used_at ?? 'never']),
          ),
        ])
      }),
    )

  for (const { verb, description, change, done } of SWITCHES) {
    scim
      .command(`${verb} <namespace>`)
      .description(description)
      .option('--json', 'print JSON')
      .action((name: string, format: Format) =>
        onInstance(terminal, async (instance) => {
          const ctx = instance.contextOf(await instance.tenantOf(name))
          const found = await updateScim(depsOf(instance), ctx, change)
          show(terminal, format, found, [done(name)])
        }),
      )
  }

  const token = scim.command('token').description('tokens of identity providers')

  token
    .command('create <name> <namespace>')
    .description('Create a token of the owner of a namespace; it is shown this once')
    .option('--json', 'print JSON')
    .action((typed: string, namespace: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const name = ScimTokenName.safeParse(typed)
        if (!name.success) throw new ConfigError(name.error.issues.map(({ message }) => `The name ${message}.`))
        const tenant = await instance.tenantOf(namespace)
        const { owner } = await getNamespace(instance.system, tenant)
        const made = await createToken(depsOf(instance), instance.contextOf(tenant), name.data, UserId.parse(owner))
        show(terminal, format, made, [made.token])
      }),
    )

  token
    .command('revoke <name> <namespace>')
    .description('Revoke a token')
    .option('--json', 'print JSON')
    .action((name: string, namespace: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const ctx = instance.contextOf(await instance.tenantOf(namespace))
        const { tokens } = await getScim(depsOf(instance), ctx)
        const { id } = tokens.find((one) => one.name === name) ?? fail('NOT_FOUND', { what: 'The token' })
        await removeToken(ctx, id)
        show(terminal, format, { name }, [`Revoked ${name}.`])
      }),
    )
}

function howJoins(atSignIn: boolean): string {
  return atSignIn
    ? 'People become members when they sign in by a provider of this server.'
    : 'People become members when they accept their invitation.'
}

function depsOf({ system, ids, settings }: Instance): ScimSettingsDeps {
  return { system, ids, turns: new ScimTurns(), origin: () => originOfSettings(settings) }
}
