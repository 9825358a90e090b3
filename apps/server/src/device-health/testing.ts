// A report of a device, for tests.
import type { HealthReport } from '@bowline/link/stream-messages'

const GIB = 1_073_741_824

/** Of a device that is well: 10 % busy, half its memory and a quarter of its disk used. */
export function healthReport(values: Partial<HealthReport> = {}): HealthReport {
  return {
    cpuBusy: 0.1,
    cpus: 4,
    load: 0.4,
    memory: { totalBytes: 8 * GIB, availableBytes: 4 * GIB },
    filesystems: [{ path: '/', totalBytes: 100 * GIB, freeBytes: 75 * GIB }],
    uptimeSeconds: 864_000,
    ...values,
  }
}

/** Of a device whose disk is that full, percent. */
export function withDisk(percent: number): HealthReport {
  return healthReport({ filesystems: [{ path: '/', totalBytes: 1_000, freeBytes: 1_000 - percent * 10 }] })
}

/** Of a device whose memory is that full, percent. */
export function withMemory(percent: number): HealthReport {
  return healthReport({ memory: { totalBytes: 1_000, availableBytes: 1_000 - percent * 10 } })
}
