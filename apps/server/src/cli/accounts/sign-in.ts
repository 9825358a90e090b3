// `bowline sign-in …`: how people may sign in, for operators who cannot sign in themselves any more.
import { readFile } from 'node:fs/promises'
import { fail } from '@bowline/contract/errors'
import type { ServerSettings } from '@bowline/contract/config'
import type { Command } from 'commander'
import { relyingParties } from '../../passkeys/relying-party.ts'
import { publicOrigin } from '../../platform/network/public-host.ts'
import { describeProviders } from '../../single-sign-on/openid/providers.ts'
import { storeProvider } from '../../single-sign-on/provider-settings.ts'
import { readMetadata } from '../../single-sign-on/saml/metadata.ts'
import { XmlRefused } from '../../single-sign-on/saml/xml-tree.ts'
import { signInMethods, updateSwitches } from '../../single-sign-on/settings.ts'
import { onInstance, providersOf } from '../instance.ts'
import { type Format, type Terminal, show } from '../terminal.ts'
import { addGroupRoleCommands } from './group-roles.ts'
import { addOpenidCommands } from './openid.ts'

/** @throws {BowlineError} INVALID_INPUT */
async function providerOf(file: string) {
  const xml = await readFile(file, 'utf8').catch(() => fail('INVALID_INPUT', { field: 'file', rule: 'cannot be read' }))
  try {
    return readMetadata(xml)
  } catch (error) {
    if (!(error instanceof XmlRefused)) throw error
    return fail('INVALID_INPUT', { field: 'file', rule: `is refused: ${error.message}` })
  }
}

const onOff = (state: string): boolean => {
  if (state !== 'on' && state !== 'off') fail('INVALID_INPUT', { field: 'state', rule: 'must be on or off' })
  return state === 'on'
}

/** Name that passkeys are bound to; '' where browsers offer none. */
function passkeyName(settings: ServerSettings): string {
  const hasTls = settings.BOWLINE_TLS_CERT_FILE !== undefined
  const httpPort = (): number => settings.BOWLINE_HTTP_PORT
  const parties = relyingParties({ publicOrigin: publicOrigin(settings, hasTls), hasTls, httpPort })
  return parties.find(`localhost:${settings.BOWLINE_HTTP_PORT}`)?.id ?? ''
}

export function addSignInCommands(program: Command, terminal: Terminal): void {
  const signIn = program.command('sign-in').description('How people may sign in to this server')

  signIn
    .command('show')
    .description('Show the ways to sign in, and which are on')
    .option('--json', 'print JSON')
    .action((format: Format) =>
      onInstance(terminal, async (instance) => {
        const { system, settings } = instance
        const { local, saml } = await signInMethods(system)
        const providers = await describeProviders(providersOf(instance))
        const openid = providers.map(({ name, issuer, enabled }) => ({ name, issuer, enabled }))
        // As with passwords: whoever a provider has removed must not come in by a way of this server.
        const passkeys = local ? passkeyName(settings) : ''
        const methods = { local, saml, openid, passkeys }
        const word = (isOn: boolean): string => (isOn ? 'on' : 'off')
        show(terminal, format, methods, [
          `Passwords: ${word(methods.local)}`,
          `SAML: ${word(methods.saml)}`,
          `Passkeys: ${passkeys === '' ? 'off' : `on, at ${passkeys}`}`,
          ...openid.map(({ name, enabled }) => `OpenID Connect, ${name}: ${word(enabled)}`),
        ])
      }),
    )

  for (const way of ['local', 'saml'] as const) {
    signIn
      .command(`${way} <on|off>`)
      .description(way === 'local' ? 'Accept passwords or not; one way to sign in stays on' : 'Accept SAML or not')
      .option('--json', 'print JSON')
      .action((state: string, format: Format) =>
        onInstance(terminal, async ({ system }) => {
          await updateSwitches({ db: system }, { [way]: onOff(state) })
          show(terminal, format, { [way]: onOff(state) }, [`${way === 'local' ? 'Passwords' : 'SAML'}: ${state}`])
        }),
      )
  }

  signIn
    .command('set-metadata <file>')
    .description('Set the SAML identity provider by its metadata; SAML is off until a test with it')
    .option('--json', 'print JSON')
    .action(async (file: string, format: Format) => {
      const provider = await providerOf(file)
      await onInstance(terminal, async ({ system }) => {
        await storeProvider({ db: system }, provider)
        const { entityId, signonUrl } = provider
        show(terminal, format, { entity_id: entityId, signon_url: signonUrl }, [`The provider is ${entityId}.`])
      })
    })

  addOpenidCommands(signIn, terminal)
  addGroupRoleCommands(signIn, terminal)
}
