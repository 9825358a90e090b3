// The key by which the other nodes know a run of this one: made at each start, kept in memory, pinned in the node's row.
import { makeCertificate, publicKeyPin, type TlsMaterial } from '../platform/network/certificate.ts'
import { VERSION } from '../platform/version.ts'
import type { NodeRun } from './store.ts'

export interface NodeIdentity {
  readonly run: NodeRun
  /** undefined for a node that runs by itself. */
  readonly tls: TlsMaterial | undefined
}

/**
 * A new run of a node.
 * @param id name of the node, kept over its runs
 * @param life uuid of the run, which its connections to the database name too
 * @param address host:port that the other nodes dial; undefined for a node that runs by itself
 */
export async function newRun(id: string, life: string, address: string | undefined): Promise<NodeIdentity> {
  const run = { id, life, version: VERSION }
  if (address === undefined) return { run: { ...run, address: '', keyPin: '' }, tls: undefined }
  const tls = await makeCertificate(['node.bowline.internal'])
  return { run: { ...run, address, keyPin: publicKeyPin(tls.cert) }, tls }
}
