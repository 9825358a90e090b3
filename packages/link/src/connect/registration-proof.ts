// The device's signature of its registration, so that nobody else can overwrite what the server knows about it. Bound
// to the server (by its statement key), to the time, and to every field of the registration.
import type { KeyObject } from 'node:crypto'
import { signText, verifyText } from './device-proof.ts'

/** The fields of a registration, as sent. */
export interface RegistrationFacts {
  readonly tenant_id: string
  readonly public_key: string
  readonly hostname?: string | null | undefined
  readonly identity?: { readonly mac: string } | null | undefined
  readonly info: Readonly<Record<'id' | 'pretty_name' | 'version' | 'arch' | 'platform', string>>
  readonly sessions?: readonly string[] | null | undefined
}

/** Sent beside the fields in the body of a registration. */
export interface RegistrationProof {
  /** Milliseconds since 1970, by the server's clock. */
  readonly at: number
  /** Base64url. */
  readonly signature: string
}

/**
 * @param statementKey the server's, base64url
 * @param at milliseconds since 1970, by the server's clock as far as the device knows it
 * @throws {Error} when the key is neither Ed25519 nor RSA
 */
export function signRegistration(
  privateKey: KeyObject,
  facts: RegistrationFacts,
  statementKey: string,
  at: number,
): RegistrationProof {
  return { at, signature: signText(privateKey, textOf(facts, statementKey, at)) }
}

/** Verifies the device key's signature of a registration for this server. The caller checks the time. */
export function verifyRegistration(facts: RegistrationFacts, statementKey: string, proof: RegistrationProof): boolean {
  return verifyText(facts.public_key, textOf(facts, statementKey, proof.at), proof.signature)
}

function textOf(facts: RegistrationFacts, statementKey: string, at: number): string {
  const { info, identity, hostname, sessions } = facts
  const { id, pretty_name, version, arch, platform } = info
  const said = [
    [statementKey, facts.tenant_id.toLowerCase(), String(at)],
    [facts.public_key, identity?.mac ?? '', hostname ?? ''],
    [id, pretty_name, version, arch, platform],
    [...(sessions ?? [])],
  ]
  return `bowline registration v1\n${JSON.stringify(said)}\n`
}
