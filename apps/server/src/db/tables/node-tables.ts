// Kysely types of the tables of nodes: a part of schema.ts, with its rules.
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Generated, GeneratedAlways } from 'kysely'

export interface NodesTable {
  id: string
  /** Identifies one run of the node. */
  life: string
  /** host:port that other nodes dial; '' for a node that runs by itself. */
  address: Generated<string>
  /** SHA-256 of the node's public key, base64; '' for a node that runs by itself. */
  key_pin: Generated<string>
  version: string
  started_at: Generated<Date>
  heartbeat_at: Generated<Date>
  draining: Generated<boolean>
  links: Generated<number>
  sessions: Generated<number>
  /** Namespaces whose live events are read at this node; null: all. */
  listening: Generated<readonly TenantId[] | null>
  /** Set by the node that closed what this one had held. */
  lost_at: Date | null
  /** The run that knows handovers of links; another one does not. */
  handover_life: string | null
}

export interface NodeMessagesTable {
  id: GeneratedAlways<number>
  /** Node that wrote it. */
  node: string
  body: { readonly [key: string]: unknown }
  at: Generated<Date>
}

export interface JobLeasesTable {
  job: string
  node: string
  leased_until: Date
}

export interface TerminalTicketsTable {
  /** SHA-256, 32 bytes. */
  ticket_hash: Buffer
  sealed: Buffer
  kind: string
  source: string
  expires_at: Date
}

export interface NodeTables {
  nodes: NodesTable
  node_messages: NodeMessagesTable
  job_leases: JobLeasesTable
  terminal_tickets: TerminalTicketsTable
}
