// Answers `health` streams with a report of the device. Nothing is read between polls, and no program is started.
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { loadavg, uptime } from 'node:os'
import type { LinkCause, LinkStream, StreamHandler } from '@bowline/link/api'
import type { HealthReport } from '@bowline/link/stream-messages'
import type { Log } from '../log.ts'
import { fullestFilesystems } from './filesystems.ts'
import { busyShare, parseMemory, parseProcessorTime } from './proc.ts'

const BUSY: LinkCause = { by: 'agent', reason: 'busy', message: 'an earlier report is still being read' }
const FAILED: LinkCause = { by: 'agent', reason: 'unreadable', message: 'the health of the device cannot be read' }

export interface HealthReports {
  open(stream: LinkStream): StreamHandler | LinkCause
}

/** Shared by all links of the process: the busy share counts from the last report, the first one from this call. */
export function createHealthReports(log: Log): HealthReports {
  let before = readProcessorTime()
  let isUnderWay = false

  async function read(): Promise<HealthReport> {
    const after = parseProcessorTime(await readFile('/proc/stat', 'utf8'))
    const cpuBusy = before ? busyShare(before, after) : 0
    before = after
    return {
      cpuBusy,
      cpus: after.cpus,
      load: loadavg()[1] ?? 0,
      memory: parseMemory(await readFile('/proc/meminfo', 'utf8')),
      filesystems: await fullestFilesystems(),
      uptimeSeconds: Math.round(uptime()),
    }
  }

  return {
    open(stream) {
      if (isUnderWay) return BUSY
      isUnderWay = true
      read()
        .then(
          (report) => {
            stream.control(report)
            stream.close()
          },
          (error: unknown) => {
            log.debug('health.failed', { error: String(error) })
            stream.close(FAILED)
          },
        )
        .finally(() => (isUnderWay = false))
      return { data: ({ length }) => stream.consumed(length), closed: () => undefined }
    },
  }
}

/** Undefined when it cannot be read; no report can be made then either. */
function readProcessorTime() {
  try {
    return parseProcessorTime(readFileSync('/proc/stat', 'utf8'))
  } catch {
    return undefined
  }
}
