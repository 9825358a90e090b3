// `bowline sign-in openid …`: OpenID providers, for operators.
import { fail } from '@bowline/contract/errors'
import { type OpenidProvider, OpenidProviderBody } from '@bowline/contract/operations/single-sign-on'
import type { Command } from 'commander'
import { systemClock } from '@bowline/base/clock'
import { egressRules } from '../../compose/budgets.ts'
import { parseInput } from '../../platform/input/parse-input.ts'
import { createOpenidClients } from '../../single-sign-on/openid/client.ts'
import {
  addProvider,
  changeProvider,
  describeProviders,
  removeProvider,
} from '../../single-sign-on/openid/providers.ts'
import { testProvider } from '../../single-sign-on/openid/service.ts'
import { requireWayToSignIn } from '../../single-sign-on/settings.ts'
import { type Instance, knowsOrigin, onInstance, providersOf } from '../instance.ts'
import { type Format, type Terminal, show, table, secretOrStdin } from '../terminal.ts'

interface AddOptions extends Format {
  readonly groupClaim?: string
  readonly off?: boolean
}

/** @throws {BowlineError} NOT_FOUND */
async function providerNamed(instance: Instance, name: string): Promise<OpenidProvider> {
  const found = (await describeProviders(providersOf(instance))).find((one) => one.name === name)
  return found ?? fail('NOT_FOUND', { what: `The provider ${name}` })
}

async function depsOf(instance: Instance) {
  const { ids, settings } = instance
  const known = {
    ...providersOf(instance),
    ids,
    clock: systemClock,
    secretKey: await instance.secretKey(),
    egress: egressRules(settings),
  }
  return { ...known, clients: createOpenidClients(known) }
}

/** Warnings about an added provider, one a line. */
function doubtsAbout({ settings }: Instance, issuer: string): string[] {
  const lines: string[] = []
  if (!knowsOrigin(settings)) {
    lines.push(
      'Warning: the redirect address is a guess, as BOWLINE_PUBLIC_URL is not set here: run the command with the ' +
        'environment of the server, or take the address from the console.',
    )
  }
  if (!issuer.startsWith('https://')) {
    lines.push(
      'Warning: an issuer must begin with https://, unless BOWLINE_EGRESS_ALLOWED of the server names its address: ' +
        'nobody can sign in by this one otherwise.',
    )
  }
  return lines
}

export function addOpenidCommands(signIn: Command, terminal: Terminal): void {
  const openid = signIn.command('openid').description('OpenID Connect providers')

  openid
    .command('list')
    .description('List the providers')
    .option('--json', 'print JSON')
    .action((format: Format) =>
      onInstance(terminal, async (instance) => {
        const providers = await describeProviders(providersOf(instance))
        const rows = providers.map((one) => [
          one.name,
          one.enabled ? 'on' : 'off',
          one.issuer,
          one.client_id,
          one.redirect_url,
        ])
        show(terminal, format, providers, table(['NAME', 'STATE', 'ISSUER', 'CLIENT ID', 'REDIRECT ADDRESS'], rows))
      }),
    )

  openid
    .command('add <name> <issuer> <client-id> <client-secret>')
    .description('Add a provider; - reads the client secret from stdin')
    .option('--group-claim <claim>', 'claim with the groups; groups by default')
    .option('--off', 'do not offer it on the sign-in page yet')
    .option('--json', 'print JSON')
    .action(async (name: string, issuer: string, id: string, secret: string, options: AddOptions) => {
      const body = parseInput('body', OpenidProviderBody, {
        name,
        issuer,
        client_id: id,
        client_secret: await secretOrStdin(terminal, secret, 'Client secret'),
        enabled: options.off !== true,
        ...(options.groupClaim === undefined ? {} : { group_claim: options.groupClaim }),
      })
      await onInstance(terminal, async (instance) => {
        const added = await addProvider(await depsOf(instance), body)
        show(terminal, options, added, [
          `Added ${added.name}, which is ${added.enabled ? 'on' : 'off'}.`,
          `Its redirect address is ${added.redirect_url}`,
          ...doubtsAbout(instance, added.issuer),
        ])
      })
    })

  for (const state of ['on', 'off'] as const) {
    openid
      .command(`${state} <name>`)
      .description(
        state === 'on' ? 'Offer a provider on the sign-in page' : 'Offer it no more; one way to sign in stays on',
      )
      .option('--json', 'print JSON')
      .action((name: string, format: Format) =>
        onInstance(terminal, async (instance) => {
          const { id } = await providerNamed(instance, name)
          const changes = { enabled: state === 'on' }
          const changed = await changeProvider(await depsOf(instance), id, changes, requireWayToSignIn)
          show(terminal, format, changed, [`${name} is ${state}.`])
        }),
      )
  }

  openid
    .command('test <name>')
    .description('Read the discovery document of a provider')
    .option('--json', 'print JSON')
    .action((name: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const { id } = await providerNamed(instance, name)
        const found = await testProvider(await depsOf(instance), id)
        show(terminal, format, found, [
          `${name} answers. People sign in at ${found.authorization_endpoint}`,
          found.end_session_endpoint === ''
            ? 'It has no address to sign out.'
            : `They sign out at ${found.end_session_endpoint}`,
        ])
      }),
    )

  openid
    .command('remove <name>')
    .description('Remove a provider; the accounts stay, and one way to sign in stays on')
    .option('--json', 'print JSON')
    .action((name: string, format: Format) =>
      onInstance(terminal, async (instance) => {
        const { id } = await providerNamed(instance, name)
        await removeProvider(await depsOf(instance), id, requireWayToSignIn)
        show(terminal, format, { name }, [`Removed ${name}.`])
      }),
    )
}
