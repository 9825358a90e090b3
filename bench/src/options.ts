// Options of a run, from the command line, for every row group.

export interface BenchOptions {
  /** Temporary folder of this run; traversable by other users. */
  readonly folder: string
  /** Interleaved rounds, without the warm-up. */
  readonly repeats: number
  /** Size of one bulk transfer in 10⁶ bytes. */
  readonly megabytes: number
  readonly agents: number
  /** Devices of the large namespace of the device list. */
  readonly devices: number
  /** Node flags for a process of the product: those under test, and a CPU profile under this name. */
  nodeFlags(name: string): readonly string[]
  /** Prints progress. */
  say(text: string): void
}
