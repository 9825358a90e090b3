// The nodes of this installation, for its administrators.
import * as z from 'zod'
import { operation } from '../operation.ts'
import { Time } from '../schemas/common.ts'

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
