// Sign-ins by SAML in tests, through a running server: the request, the answer of the identity provider, the redirect.
import { inflateRawSync } from 'node:zlib'
import { operations } from '@bowline/contract/operations'
import type { Clock } from '@bowline/base/clock'
import { type BootedServer, type Person } from '../../../testing/boot.ts'
import { type TestBrowser, testBrowser } from '../../testing/browser.ts'
import type { ResponseParts, TestIdentityProvider } from './identity-provider.ts'

export const ORIGIN = 'https://bowline.example.com'
export const OWN = { recipient: `${ORIGIN}/api/user/saml/auth`, audience: `${ORIGIN}/api/user/saml/metadata` }

/** A request as the provider receives it. */
export function readRequest(url: string): { id: string; xml: string; query: URLSearchParams } {
  const query = new URL(url).searchParams
  const xml = inflateRawSync(Buffer.from(query.get('SAMLRequest') ?? '', 'base64')).toString()
  return { id: / ID="([^"]+)"/.exec(xml)?.[1] ?? '', xml, query }
}

export interface SamlSignIns {
  /** Begins a sign-in in a browser. @returns id of the request */
  begin(browser: TestBrowser, query?: string): Promise<string>
  /** The form fields of an answer. */
  answer(requestId: string | undefined, parts?: Partial<ResponseParts>): { SAMLResponse: string }
  /** A whole sign-in. @returns the address that the browser is sent to */
  signIn(browser: TestBrowser, parts?: Partial<ResponseParts>): Promise<string>
  /** Sets the provider, passes a test and switches SAML on. */
  enable(admin: Person): Promise<void>
}

export function samlSignIns(server: BootedServer, provider: TestIdentityProvider, clock: Clock): SamlSignIns {
  const { singleSignOn } = operations
  const answer: SamlSignIns['answer'] = (requestId, parts) => {
    const xml = provider.response({ ...OWN, requestId, now: clock.now(), ...parts })
    return { SAMLResponse: Buffer.from(xml).toString('base64') }
  }
  const begin: SamlSignIns['begin'] = async (browser, query = '') => {
    const response = await browser.send(`/api/user/saml/auth${query}`)
    return readRequest(((await response.json()) as { url: string }).url).id
  }
  return {
    begin,
    answer,
    signIn: async (browser, parts) => browser.postForm('/api/user/saml/auth', answer(await begin(browser), parts)),
    async enable(admin) {
      await admin.client.call(singleSignOn.setProvider, { body: { metadata: provider.metadata() } })
      const browser = testBrowser(server)
      const headers = { authorization: `Bearer ${admin.auth.token}` }
      const started = await browser.send(singleSignOn.test.path, { method: 'POST', headers })
      const { id } = readRequest(((await started.json()) as { url: string }).url)
      const page = await browser.postForm('/api/user/saml/auth', answer(id))
      if (page !== '/instance/sign-in?test=passed') throw new Error(`the test ended at ${page}`)
      await admin.client.call(singleSignOn.update, { body: { saml: true } })
    },
  }
}
