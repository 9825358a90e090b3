// A real OpenID provider on loopback, whose people sign in without a page: an interaction ends as the test wants.
import { once } from 'node:events'
import { type IncomingMessage, type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { openidRedirectUrl } from '@bowline/contract/openid-redirect'
import { Provider } from 'oidc-provider'

export interface TestPerson {
  readonly sub: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
  readonly groups?: readonly string[]
}

export interface TestOpenidProvider {
  readonly issuer: string
  /** Address that the provider sends logout tokens to; undefined: they are kept only. */
  logoutAddress: string | undefined
  /** Logout tokens that it has sent, the newest last. */
  readonly logoutTokens: string[]
  /** Ends a session of a person and tells the client. @param sid of their ID token */
  endSession(sub: string, sid: string): Promise<void>
  /** Goes through the provider's pages as a person. @returns the address that it sends the browser back to */
  authorize(url: string, person: TestPerson): Promise<URL>
  close(): Promise<void>
}

interface BackchannelClient {
  backchannelLogout(sub: string, sid: string): Promise<void>
}

export const CLIENT = { client_id: 'bowline', client_secret: 'a-secret-of-the-client-0123456789' }

/**
 * @param redirectBase beginning of the only address that the provider accepts
 * @param person signs in by a link on the provider's page, for browsers
 */
export async function startOpenidProvider(redirectBase: string, person?: TestPerson): Promise<TestOpenidProvider> {
  const server: Server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const redirectUri = openidRedirectUrl(redirectBase, issuer)
  const people = new Map<string, TestPerson>(person ? [[person.sub, person]] : [])
  const provider = new Provider(issuer, {
    clients: [
      {
        ...CLIENT,
        redirect_uris: [redirectUri],
        post_logout_redirect_uris: [new URL('/sign-in', redirectUri).href],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        backchannel_logout_uri: `${issuer}/relay`,
        backchannel_logout_session_required: true,
      },
    ],
    claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    // Its own would refuse loopback, where the server of a test is, and give up after 2.5 s.
    fetch(url, init) {
      const { dispatcher: _, signal: __, ...rest } = { ...init } as RequestInit & { readonly dispatcher?: unknown }
      return fetch(url, rest)
    },
    pkce: { required: () => true },
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    cookies: { keys: ['key-of-the-test'] },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ ...people.get(id), sub: id }) }),
    async loadExistingGrant(context) {
      const grant = new context.oidc.provider.Grant({
        clientId: CLIENT.client_id,
        accountId: context.oidc.session?.accountId ?? '',
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  const answer = provider.callback()
  const logoutTokens: string[] = []
  /** The client's address is known to the provider before the server of the test has one. */
  const relay = async (request: IncomingMessage): Promise<number> => {
    const body = await text(request)
    logoutTokens.push(new URLSearchParams(body).get('logout_token') ?? '')
    if (running.logoutAddress === undefined) return 200
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return (await fetch(running.logoutAddress, { method: 'POST', headers, body })).status
  }
  server.on('request', (request, response) => {
    if (request.url === '/relay') {
      return void relay(request).then((status) => response.writeHead(status).end())
    }
    const login = /^\/interaction\/[^?]+\?as=(.+)$/.exec(request.url ?? '')?.[1]
    if (login === undefined && person && request.url?.startsWith('/interaction/')) {
      return void response.setHeader('content-type', 'text/html').end(`<a href="?as=${person.sub}">Continue</a>`)
    }
    if (login === undefined) return void answer(request, response)
    const result = { login: { accountId: decodeURIComponent(login) } }
    void provider.interactionFinished(request, response, result)
  })
  const running: TestOpenidProvider = {
    issuer,
    logoutAddress: undefined,
    logoutTokens,
    async endSession(sub, sid) {
      const client = (await provider.Client.find(CLIENT.client_id)) as unknown as BackchannelClient
      await client.backchannelLogout(sub, sid)
    },
    async authorize(url, person) {
      people.set(person.sub, person)
      const cookies = new Map<string, string>()
      let address = new URL(url)
      while (address.href.startsWith(issuer)) {
        if (address.pathname.startsWith('/interaction/')) address.searchParams.set('as', person.sub)
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const response = await fetch(address, { redirect: 'manual', headers: { cookie } })
        for (const line of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
          cookies.set(name, value)
        }
        const next = response.headers.get('location')
        if (next === null) throw new Error(`${response.status} of the provider: ${await response.text()}`)
        address = new URL(next, address)
      }
      return address
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return running
}
