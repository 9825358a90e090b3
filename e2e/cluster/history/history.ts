// What the parts of an installation said while a test injected faults: the database of its rows, each node of the links
// that it took, agents of theirs, and the API of what it showed and acknowledged.

/** A change of a row, in the order in which the database made them. Times are in milliseconds since the epoch. */
export type Change =
  | {
      readonly what: 'link'
      readonly at: number
      readonly device: string
      /** Node that holds the link; '' once it is released. */
      readonly node: string
      readonly epoch: number
    }
  | {
      readonly what: 'node'
      readonly at: number
      readonly node: string
      /** entered: a run has the lease; lost: another node has taken it away; left: the run gave it back. */
      readonly change: 'entered' | 'lost' | 'left'
    }
  | {
      readonly what: 'session'
      readonly at: number
      readonly uid: string
      readonly node: string
      /** `by reason`; undefined while it runs. */
      readonly closed: string | undefined
    }
  | { readonly what: 'recording'; readonly at: number; readonly session: string; readonly isSealed: boolean }

/** A node has logged that it took or lost a link. */
export interface NodeSaid {
  readonly node: string
  readonly device: string
  readonly epoch: number
  readonly change: 'up' | 'down'
}

/** The agent of a device has logged that it has a link, or that its last one has ended. */
export interface AgentSaid {
  readonly at: number
  readonly device: string
  readonly isLinked: boolean
}

/** What a node showed of a device. */
export interface Shown {
  readonly at: number
  readonly node: string
  readonly device: string
  readonly online: boolean
}

/** Output of a session whose lines were numbered, as hashes. */
export interface Output {
  readonly session: string
  readonly wanted: string
  readonly got: string
}

export interface History {
  readonly changes: readonly Change[]
  readonly nodesSaid: readonly NodeSaid[]
  /** In the order of time. */
  readonly agentsSaid: readonly AgentSaid[]
  readonly shown: readonly Shown[]
  readonly outputs: readonly Output[]
  /** Rows that a call has acknowledged, and those that are there at the end. */
  readonly acknowledged: ReadonlySet<string>
  readonly kept: ReadonlySet<string>
  /** Sessions whose sealed recording verifies as intact at the end. */
  readonly intact: ReadonlySet<string>
  /** Nodes whose process runs at the end. */
  readonly running: ReadonlySet<string>
}
