// Calls about the instance itself: version, setup, health.
import * as z from 'zod'
import { operation } from '../operation.ts'
import { Email, Password, PersonName, Username } from '../schemas/common.ts'

export const Info = z
  .object({
    version: z.string(),
    endpoints: z.object({ ssh: z.string(), api: z.string() }),
    setup: z.boolean(),
    authentication: z.object({ local: z.boolean(), saml: z.boolean() }),
    edition: z.enum(['community', 'enterprise', 'cloud']),
    /** Whether other machines can reach this server; false while it listens on loopback only. */
    reachable: z.boolean(),
    /** `sha256//…` of the self-signed certificate's public key, which install commands must pin; '' otherwise. */
    pin: z.string(),
  })
  .meta({ id: 'Info' })
export type Info = z.infer<typeof Info>

export const instance = {
  info: operation({
    method: 'GET',
    path: '/info',
    aliases: ['/api/info'],
    noun: 'instance',
    summary: 'Version, endpoints and sign-in methods of the instance',
    access: { kind: 'public' },
    query: z.object({ agent_version: z.string().max(64).optional() }),
    response: Info,
  }),
  health: operation({
    method: 'GET',
    path: '/healthcheck',
    aliases: ['/api/healthcheck'],
    noun: 'instance',
    summary: 'Whether the server and its database answer',
    access: { kind: 'public' },
    headers: {
      'X-Degraded': '`none`; `recording-store` while the S3 store does not answer: recordings wait on the disk.',
    },
    errors: ['UNAVAILABLE'],
  }),
  setup: operation({
    method: 'POST',
    path: '/api/setup',
    noun: 'instance',
    summary: 'Create the first account; works once, with the signed link that the server prints',
    access: { kind: 'public' },
    query: z.object({ sign: z.string('is required').min(1, 'is required').max(128) }),
    body: z.object({ name: PersonName, email: Email, username: Username, password: Password }),
    errors: ['SETUP_REFUSED', 'CONFLICT'],
  }),
}
