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

/** Facts that an agent reports beside its registration. */
export interface AgentFacts {
  readonly release: number
  readonly obstacle?: string | undefined
  readonly failed?: { readonly release: number; readonly reason: string } | undefined
  /** The release that the agent is about to start, and to hand its link over to. */
  readonly updating?: number | undefined
}

/**
 * The signature of what an agent tells about itself. Not a part of the registration's, which servers of earlier versions
 * would then refuse.
 * @param proof of the registration that it is sent with
 * @returns base64url
 */
export function signAgentFacts(privateKey: KeyObject, facts: AgentFacts, proof: RegistrationProof): string {
  return signText(privateKey, agentText(facts, proof))
}

/** Verifies the signature of what an agent tells. The caller has verified the registration's proof. */
export function verifyAgentFacts(
  publicKey: string,
  facts: AgentFacts,
  proof: RegistrationProof,
  signature: string,
): boolean {
  return verifyText(publicKey, agentText(facts, proof), signature)
}

/** Bound to one registration, and so to its server and time, by that one's signature. */
function agentText({ release, obstacle, failed, updating }: AgentFacts, { signature }: RegistrationProof): string {
  const said = [signature, release, obstacle ?? null, failed?.release ?? null, failed?.reason ?? null]
  if (updating !== undefined) said.push(updating)
  return `bowline agent v1\n${JSON.stringify(said)}\n`
}

/** The fields by which a device asks for a pairing code: those of a registration that it knows without a namespace. */
export type PairingFacts = Omit<RegistrationFacts, 'tenant_id' | 'sessions'>

/**
 * The device's signature of its request for a pairing code. Not bound to a server, whose statement key it learns later: a
 * code that somebody gets with it elsewhere is for a device that only the holder of the key brings online.
 * @param at milliseconds since 1970, by the server's clock as far as the device knows it
 * @throws {Error} when the key is neither Ed25519 nor RSA
 */
export function signPairing(privateKey: KeyObject, facts: PairingFacts, at: number): RegistrationProof {
  return { at, signature: signText(privateKey, pairingText(facts, at)) }
}

/** Verifies the device key's signature of a request for a pairing code. The caller checks the time. */
export function verifyPairing(facts: PairingFacts, { at, signature }: RegistrationProof): boolean {
  return verifyText(facts.public_key, pairingText(facts, at), signature)
}

function pairingText(facts: PairingFacts, at: number): string {
  return `bowline pairing v1\n${JSON.stringify([String(at), ...deviceTexts(facts)])}\n`
}

function textOf(facts: RegistrationFacts, statementKey: string, at: number): string {
  const said = [
    [statementKey, facts.tenant_id.toLowerCase(), String(at)],
    ...deviceTexts(facts),
    [...(facts.sessions ?? [])],
  ]
  return `bowline registration v1\n${JSON.stringify(said)}\n`
}

function deviceTexts({ public_key, identity, hostname, info }: PairingFacts): string[][] {
  const { id, pretty_name, version, arch, platform } = info
  return [
    [public_key, identity?.mac ?? '', hostname ?? ''],
    [id, pretty_name, version, arch, platform],
  ]
}
