// A browser in tests of single sign-on: it keeps cookies, posts forms of other sites' pages and follows no redirect.
import type { UserAuth } from '@bowline/contract/schemas/user'
import type { BootedServer } from '../../testing/boot.ts'

export interface TestBrowser {
  readonly cookies: Map<string, string>
  send(path: string, init?: RequestInit): Promise<Response>
  /** Posts a form as the page of an identity provider does. @returns the address of the redirect */
  postForm(path: string, fields: Readonly<Record<string, string>>): Promise<string>
  /** Follows a link that leads to a redirect. @returns its address */
  open(path: string): Promise<string>
  /** Exchanges the one-use token of the console's address for a session. */
  exchange(page: string): Promise<Response>
  /** Signs in by the page's token. */
  signIn(page: string): Promise<UserAuth>
}

export function testBrowser(server: Pick<BootedServer, 'fetch'>): TestBrowser {
  const cookies = new Map<string, string>()
  const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = new Headers(init.headers)
    if (cookie !== '') headers.set('cookie', cookie)
    const response = await server.fetch(path, { redirect: 'manual', ...init, headers })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const at = pair.indexOf('=')
      cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return response
  }
  const location = (response: Response): string => response.headers.get('location') ?? `status ${response.status}`
  const json = { 'content-type': 'application/json' }
  const exchange = (page: string): Promise<Response> =>
    send('/api/auth/session/exchange', {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ token: tokenOf(page) }),
    })
  return {
    cookies,
    send,
    async postForm(path, fields) {
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        origin: 'https://idp.example.org',
        'sec-fetch-site': 'cross-site',
      }
      return location(await send(path, { method: 'POST', headers, body: new URLSearchParams(fields).toString() }))
    },
    open: async (path) => location(await send(path)),
    exchange,
    async signIn(page) {
      const response = await exchange(page)
      if (!response.ok) throw new Error(`${response.status} for ${page}`)
      return (await response.json()) as UserAuth
    },
  }
}

/** The token in the address of a page of the console. */
export function tokenOf(page: string): string {
  return new URL(page, 'https://bowline.example.com').searchParams.get('token') ?? ''
}
