// What processes log of links: of every run, however much it logs.
import type { Running } from '../../support/running.ts'

export interface LinkEvent {
  readonly at: number
  /** ended: the process has, and its links with it, without a word. */
  readonly change: 'up' | 'down' | 'ended'
  /** Device and epoch, in the log of a node. */
  readonly device: string
  readonly epoch: number
}

export interface LinkLog {
  /** In their order. */
  readonly events: readonly LinkEvent[]
  /** Reads the log of a run, which may be known already. */
  follow(running: Running): void
}

/** @returns the log of all runs of one node or agent */
export function createLinkLog(): LinkLog {
  const events: LinkEvent[] = []
  const known = new WeakSet<Running>()

  function take(line: string): void {
    const change = /"ev":"link\.(up|down)"/.exec(line)?.[1]
    if (change !== 'up' && change !== 'down') return
    const { time, device = '', epoch = 0 } = JSON.parse(line) as { time: string; device?: string; epoch?: number }
    events.push({ at: Date.parse(time), change, device, epoch })
  }

  return {
    events,
    follow(running) {
      if (known.has(running)) return
      known.add(running)
      const { stdout, stderr } = running.child
      for (const line of running.output().split('\n')) take(line)
      for (const stream of [stdout, stderr]) {
        let rest = ''
        stream?.on('data', (text: string) => {
          const lines = (rest + text).split('\n')
          rest = lines.pop() ?? ''
          for (const line of lines) take(line)
        })
      }
      void running.ended.then(() => events.push({ at: Date.now(), change: 'ended', device: '', epoch: 0 }))
    },
  }
}
