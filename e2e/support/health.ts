// Queries what a server reports while its database is down.
import type { Server } from './server.ts'

/** Status code of the health check. */
export async function health({ origin }: Server): Promise<number> {
  return (await fetch(`${origin}/healthcheck`)).status
}

/** The response to a sign-in, whatever it is: signing in needs the database. */
export function signInAnswer({ origin }: Server): Promise<Response> {
  return fetch(`${origin}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'somebody', password: 'something' }),
  })
}
