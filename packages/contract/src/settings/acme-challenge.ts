// Apart from the settings, whose descriptions no page needs.
import * as z from 'zod'

/** Ways to prove to an authority that a name is this server's (RFC 8555, 8). */
export const AcmeChallenge = z.enum(['http-01', 'tls-alpn-01', 'dns-01'])
export type AcmeChallenge = z.infer<typeof AcmeChallenge>
