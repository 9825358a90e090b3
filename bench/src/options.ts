// How much is measured, and where: what the command line says, for every row group.

export interface BenchOptions {
  /** Temporary folder of this run; others may pass through it. */
  readonly folder: string
  /** Interleaved rounds that count. */
  readonly repeats: number
  /** 10⁶ bytes of one bulk transfer. */
  readonly megabytes: number
  readonly agents: number
  /** Devices of the large namespace of the device list. */
  readonly devices: number
  /** Flags of Node for a process of the product: those that are tried out, and a CPU profile under this name. */
  nodeFlags(name: string): readonly string[]
  /** Tells the person who waits. */
  say(text: string): void
}
