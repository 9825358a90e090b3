// Calls about the instance itself: version, setup, health, certificates, nodes.
import * as z from 'zod'
import { operation } from '../operation.ts'
import { AcmeChallenge } from '../settings/acme-challenge.ts'
import { REGISTRATION_MODES } from '../settings/registration.ts'
import { Email, Password, PersonName, Time, Username } from '../schemas/common.ts'

export const Info = z
  .object({
    version: z.string(),
    endpoints: z.object({ ssh: z.string(), api: z.string() }),
    setup: z.boolean(),
    authentication: z.object({
      local: z.boolean(),
      saml: z.boolean(),
      /** True if passkeys work under the address of the request. */
      passkeys: z.boolean(),
      /** OpenID providers that people may sign in with. */
      openid: z.array(z.object({ id: z.string(), name: z.string() })),
    }),
    /** People who may create an account for themselves. */
    registration: z.enum(REGISTRATION_MODES),
    /** True if this server sends mail. */
    mail: z.boolean(),
    edition: z.enum(['community', 'enterprise', 'cloud']),
    /** True if other machines can reach this server; false while it listens on loopback only. */
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

/** Listener that a certificate is for. */
export const CertificateUse = z.enum(['console', 'tunnels'])
export type CertificateUse = z.infer<typeof CertificateUse>

/** Where a certificate comes from: an authority by ACME, the operator's files, or the server itself. */
export const CertificateSource = z.enum(['acme', 'files', 'self-signed'])

/** `ending`: it should have been renewed by now. `missing`: the authority has not issued the first one yet. */
export const CertificateState = z.enum(['valid', 'ending', 'expired', 'missing'])
export type CertificateState = z.infer<typeof CertificateState>

export const ServerCertificate = z
  .object({
    use: CertificateUse,
    source: CertificateSource,
    /** Host names that it is for, or is to be for. */
    names: z.array(z.string()),
    state: CertificateState,
    /** Who has issued it; '' while it is missing. */
    issuer: z.string(),
    starts_at: Time.nullable(),
    ends_at: Time.nullable(),
    /** SHA-256 of the certificate in hex; '' while it is missing. */
    fingerprint: z.string(),
    /** Time of the next attempt to get a new one; null for certificates that the server does not renew. */
    renews_at: Time.nullable(),
    /** True while a node of this installation is getting a new one. */
    renewing: z.boolean(),
    /** Failed attempts since the last success. */
    failures: z.number(),
    /** Why the last attempt failed; '' after a success. */
    failure: z.string(),
    failed_at: Time.nullable(),
  })
  .meta({ id: 'ServerCertificate' })
export type ServerCertificate = z.infer<typeof ServerCertificate>

/** Certificates of this installation. */
export const ServerCertificates = z
  .object({
    /** True if an authority issues them by ACME. */
    acme: z.boolean(),
    /** Address of the ACME directory; '' without. */
    directory: z.string(),
    /** Address that the authority writes to; '' without. */
    email: z.string(),
    /** How the console's name is proven; null without. */
    challenge: AcmeChallenge.nullable(),
    certificates: z.array(ServerCertificate),
  })
  .meta({ id: 'ServerCertificates' })
export type ServerCertificates = z.infer<typeof ServerCertificates>

/** For administrators. Nothing here begins an order: that is up to the server itself and its command line. */
export const certificates = {
  list: operation({
    method: 'GET',
    path: '/api/certificates',
    noun: 'certificates',
    summary: 'Certificates of this server: names, end, next renewal, and why the last attempt failed',
    access: { kind: 'instance-admin' },
    response: ServerCertificates,
  }),
}

/** `late`: its heartbeat is too old. `lost`: another node has closed what it held. */
export const NodeState = z.enum(['alive', 'draining', 'late', 'lost'])
export type NodeState = z.infer<typeof NodeState>

export const ServerNode = z
  .object({
    id: z.string(),
    /** host:port that the other nodes dial; '' for a server that runs by itself. */
    address: z.string(),
    version: z.string(),
    state: NodeState,
    started_at: Time,
    /** Its last heartbeat. */
    heartbeat_at: Time,
    /** Devices whose link it holds, as of the last heartbeat. */
    links: z.number(),
    /** SSH connections and web terminals that it carries, as of the last heartbeat. */
    sessions: z.number(),
    /** True for the node that answers. */
    is_this: z.boolean(),
  })
  .meta({ id: 'ServerNode' })
export type ServerNode = z.infer<typeof ServerNode>

/** For administrators: the nodes of this installation. */
export const nodes = {
  list: operation({
    method: 'GET',
    path: '/api/nodes',
    noun: 'nodes',
    summary: 'Nodes of this installation: version, heartbeat, links and sessions, and those lost within a day',
    access: { kind: 'instance-admin' },
    response: z.object({ nodes: z.array(ServerNode) }).meta({ id: 'ServerNodes' }),
  }),
}
