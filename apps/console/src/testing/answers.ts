// Server answers for unit tests of the console.
import type { UserAuth } from '@bowline/contract/schemas/user'

/** A token that is valid for `seconds`. */
export function makeToken(seconds: number, name = 'token'): string {
  const payload = btoa(JSON.stringify({ iat: 1_000, exp: 1_000 + seconds, name }))
  return `header.${payload}.signature`
}

export function makeUserAuth(overrides: Partial<UserAuth> = {}): UserAuth {
  return {
    token: makeToken(600),
    id: 'user-1',
    origin: 'local',
    auth_methods: ['local'],
    user: 'ada',
    name: 'Ada',
    email: 'ada@example.com',
    pending_email: '',
    recovery_email: '',
    tenant: '3f2b8c1a-6d4e-4f70-9a55-0c1d2e3f4a5b',
    role: 'owner',
    grants: [],
    mfa: false,
    has_password: true,
    max_namespaces: -1,
    instance_admin: false,
    ...overrides,
  }
}

export function jsonResponse(
  body: unknown,
  init: { status?: number; headers?: Record<string, string> } = {},
): Response {
  return new Response(JSON.stringify(body), {
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
  })
}

/** A `fetch` that passes every request to `answer` and records it. */
export function fakeFetch(answer: (request: Request) => Response | Promise<Response>): {
  fetch: typeof fetch
  requests: Request[]
} {
  const requests: Request[] = []
  return {
    requests,
    fetch: async (url, init) => {
      const target = url instanceof Request ? url.url : url
      const request = new Request(new URL(target, 'http://console.test'), init)
      requests.push(request)
      return answer(request)
    },
  }
}
