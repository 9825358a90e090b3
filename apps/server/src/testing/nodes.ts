// Several nodes of one installation in one process, on one database.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@bowline/testkit/free-port'
import { until } from '@bowline/testkit/until'
import { type Log, silentLog } from '../platform/log.ts'
import { type BootedServer, bootServer, databaseUrl } from './boot.ts'

export interface BootedNode extends BootedServer {
  /** Address at which the other nodes reach it. */
  readonly address: string
}

/**
 * Boots nodes that share the database of the first, and waits until each has a link with each other.
 * @param settings of all nodes
 */
export async function bootNodes(
  count: number,
  settings: Readonly<Record<string, string>> = {},
  log?: Log,
): Promise<BootedNode[]> {
  const secretKey = randomBytes(32).toString('hex')
  const recordings = await mkdtemp(join(tmpdir(), 'bowline-recordings-'))
  const nodes: BootedNode[] = []
  const peers: ReadonlySet<unknown>[] = []
  for (let index = 0; index < count; index += 1) {
    const address = `127.0.0.1:${await freePort()}`
    const shared = {
      BOWLINE_SECRET_KEY: secretKey,
      BOWLINE_NODE_ADDRESS: address,
      BOWLINE_RECORDINGS_DIR: recordings,
      ...settings,
    }
    const first = nodes[0]
    const seen = new Set<unknown>()
    peers.push(seen)
    const server = await bootServer({
      settings: shared,
      log: notingPeers(log ?? silentLog, seen),
      ...(first ? { reach: async () => databaseUrl(first.owner) } : {}),
    })
    const close = async (): Promise<void> => {
      await server.close()
      await rm(recordings, { recursive: true, force: true })
    }
    nodes.push({ ...server, address, close })
  }
  await until(() => peers.every((seen) => seen.size === count - 1))
  return nodes
}

/** A log that notes the nodes with which links have been made. */
function notingPeers(log: Log, seen: Set<unknown>): Log {
  return {
    ...log,
    info(event, fields) {
      if (event === 'node.linked') seen.add(fields?.['node'])
      log.info(event, fields)
    },
    child: (fields) => notingPeers(log.child(fields), seen),
  }
}
