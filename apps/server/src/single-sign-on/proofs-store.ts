// SQL of proofs by mail, for identities that wait for the owner of an account. System rows.
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { IdentityProposalRow, TokenOfBrowser } from './store.ts'

/**
 * Gives a proposal its proof: of concurrent calls one does.
 * @returns undefined for an unknown or expired proposal, that of another browser, and one that has a proof
 */
export function startProof(
  db: Kysely<Schema>,
  { tokenHash, browserHash, now }: TokenOfBrowser & { readonly browserHash: Buffer },
  proof: { readonly hash: Buffer; readonly expiresAt: Date },
): Promise<IdentityProposalRow | undefined> {
  return db
    .updateTable('identity_proposals')
    .set({ proof_hash: proof.hash, expires_at: proof.expiresAt })
    .where('token_hash', '=', tokenHash)
    .where('browser_hash', '=', browserHash)
    .where('expires_at', '>', now)
    .where('proof_hash', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

/** Uses a proof up: of concurrent calls one gets it, and none from another browser. */
export function takeProof(
  db: Kysely<Schema>,
  by: { readonly hash: Buffer; readonly browserHash: Buffer; readonly now: Date },
): Promise<IdentityProposalRow | undefined> {
  return db
    .deleteFrom('identity_proposals')
    .where('proof_hash', '=', by.hash)
    .where('browser_hash', '=', by.browserHash)
    .where('expires_at', '>', by.now)
    .returningAll()
    .executeTakeFirst()
}
