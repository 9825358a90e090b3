// Whether the nodes of an installation can be reached from here: where they cannot, logins fail on the devices of some.
import { systemClock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { dialNode } from '../nodes/node-tls.ts'
import { makeCertificate } from '../platform/network/certificate.ts'
import { listReachableNodes } from './facts-store.ts'
import { type Finding, finding, reason } from './finding.ts'

const CHECK = 'nodes'

/** Dials every node that is alive, with a key that none of them knows: each proves its own and drops the connection. */
export async function checkNodes(system: Kysely<Schema>): Promise<Finding[]> {
  const nodes = await listReachableNodes(system)
  if (nodes.length === 0) return []
  const own = await makeCertificate(['doctor.bowline.internal'])
  return Promise.all(
    nodes.map(async ({ id, address, key_pin: pin }) => {
      try {
        const socket = await dialNode(address, pin, own, systemClock)
        socket.on('error', () => undefined).destroy()
        return finding(CHECK, 'ok', `The node ${id} answers at ${address}.`)
      } catch (error) {
        const remedy =
          'Check BOWLINE_NODE_ADDRESS of that node and the firewall between: the other nodes lead no login to its devices.'
        return finding(CHECK, 'fail', `The node ${id} cannot be reached at ${address}: ${reason(error)}`, remedy)
      }
    }),
  )
}
