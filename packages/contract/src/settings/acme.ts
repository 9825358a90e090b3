// Settings of certificates that an authority issues by ACME (RFC 8555); all of them need `BOWLINE_ACME_EMAIL`.
import * as z from 'zod'
import { AcmeChallenge } from './acme-challenge.ts'
import { port } from './numbers.ts'
import type { SettingSpec } from './spec.ts'

const server = ['server'] as const
const optional = z.string().min(1).optional()

export const ACME_SETTINGS = {
  BOWLINE_ACME_EMAIL: {
    programs: server,
    schema: z
      .string()
      .max(254)
      .regex(/^[^\s<>@",;:?&%]{1,64}@[A-Za-z0-9.-]{1,253}$/, 'must be an address such as admin@example.com')
      .optional(),
    description:
      'Gets a certificate for BOWLINE_DOMAIN from Let’s Encrypt and renews it. The authority writes to this address, and setting it agrees to the authority’s terms of service. BOWLINE_HTTP_PORT is 443 then unless it is set.',
  },
  BOWLINE_ACME_CHALLENGE: {
    programs: server,
    schema: AcmeChallenge.default('http-01'),
    description:
      'How the server proves that BOWLINE_DOMAIN is its own: http-01 – the authority asks at port 80 of the domain; tls-alpn-01 – at its port 443; dns-01 – by a DNS record that BOWLINE_ACME_DNS_HOOK adds, for servers that the authority cannot reach.',
  },
  BOWLINE_ACME_HTTP_PORT: {
    programs: server,
    schema: port.default(80),
    description:
      'Port at which the server answers http-01 and redirects everything else to https. The authority always asks at port 80: with another value something must forward that port here. With the other challenges there is no such port.',
  },
  BOWLINE_ACME_DNS_HOOK: {
    programs: server,
    schema: z.string().regex(/^\//, 'must be the absolute path of a program').optional(),
    description:
      'Program that changes DNS, called as `<program> add|remove <record> <value>` for a TXT record; add returns when the record is visible. With it the tunnels get a wildcard certificate for BOWLINE_TUNNELS_DOMAIN. It gets the server’s environment without BOWLINE_*.',
  },
  BOWLINE_ACME_DIRECTORY: {
    programs: server,
    schema: z
      .string()
      .regex(/^https:\/\/[^\s?#@]+$/, 'must be the https:// address of an ACME directory')
      .default('https://acme-v02.api.letsencrypt.org/directory'),
    description: 'ACME directory of another authority.',
  },
  BOWLINE_ACME_EAB_KID: {
    programs: server,
    schema: z
      .string()
      .max(1_024)
      .regex(/^[!-~]+$/, 'must be the key identifier that the authority has given')
      .optional(),
    description:
      'Key identifier of an external account, for authorities that bind ACME accounts to their customers (external account binding). Needs BOWLINE_ACME_EAB_HMAC_KEY; both are used once, when the account is registered.',
  },
  BOWLINE_ACME_EAB_HMAC_KEY: {
    programs: server,
    secret: true,
    schema: z
      .string()
      .max(1_024)
      .regex(/^[A-Za-z0-9_-]{22,}={0,2}$/, 'must be the key as the authority has given it, in base64url')
      .optional(),
    description: 'MAC key of the external account that BOWLINE_ACME_EAB_KID names.',
  },
  BOWLINE_ACME_CA_FILE: {
    programs: server,
    schema: optional,
    description:
      'PEM certificates that the directory’s own certificate is verified by, if its authority is a private one.',
  },
} as const satisfies Record<string, SettingSpec>

/** Ports of the standard, which a server with a certificate of its own name uses unless told otherwise. */
export const ACME_DEFAULTS = { BOWLINE_HTTP_PORT: '443' } as const
