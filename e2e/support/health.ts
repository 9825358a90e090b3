// What a server says of itself while its database is away.
import type { Server } from './server.ts'

/** Status of the health check. */
export async function health({ origin }: Server): Promise<number> {
  return (await fetch(`${origin}/healthcheck`)).status
}

/** The answer of a sign-in, whatever it is: it needs the database. */
export function signInAnswer({ origin }: Server): Promise<Response> {
  return fetch(`${origin}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'somebody', password: 'something' }),
  })
}
