// Archives that are being written to people: each by a link that works once, some at a time in a process, and only while
// whoever asked for it may have it.
//
// The archive is made while it is sent, and stored nowhere. So its size needs no disk and no store, no copy of everything
// waits for a thief, any server of a cluster answers, and memory is constant. A download that breaks off is begun anew;
// whoever has too much for that exports on the server, into a file.
import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { Clock } from '@bowline/base/clock'
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { Log } from '../platform/log.ts'

/** An export counts as under way for so long after the last sign of it, in milliseconds. */
const BUSY_MS = 60_000
const RENEW_MS = 20_000

export interface RunDeps {
  readonly clock: Clock
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal
}

/** Links to archives of one kind; a subject has one at a time. */
export interface ExportLinks<Subject> {
  exists(hash: Buffer, now: Date): Promise<boolean>
  /** Takes a link, and says until when its export is taken to be under way. */
  take(hash: Buffer, now: Date, busyUntil: Date): Promise<Subject | undefined>
  setBusy(subject: Subject, until: Date): Promise<void>
}

/** Whoever opens a link. */
export interface ExportCaller {
  readonly source: string
  readonly log: Log
}

/** An archive that begins when it is read. */
export interface Archive {
  /** Name for the file. */
  readonly name: string
  readonly bytes: AsyncGenerator<Uint8Array>
  /** Called once, however it ends. */
  readonly ended: () => void
}

export interface ExportKind<Subject> {
  readonly links: ExportLinks<Subject>
  /** Limit for one download, in milliseconds. */
  readonly maxMs: number
  /** Whether it may begin, and go on: asked from time to time while it is read. */
  mayHave(subject: Subject): Promise<boolean>
  /** @param at of its beginning, in milliseconds since the epoch */
  begin(subject: Subject, caller: ExportCaller, at: number): Promise<Archive>
}

export interface OpenedExport {
  /** Name for the file. */
  readonly name: string
  /** The archive, compressed. */
  readonly stream: Readable
}

/** Exports of one kind in this process. */
export interface Exports {
  /**
   * Takes a link and begins the archive.
   * @throws {BowlineError} NOT_FOUND when the link is wrong, was used or has expired, or its person may not have the archive
   *   any more; UNAVAILABLE when the process writes as many as it may
   */
  open(token: string, caller: ExportCaller): Promise<OpenedExport>
}

/** A new link. */
export function newLink(now: number) {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: hashOf(token), expires: new Date(now + LIMITS.exports.linkMinutes * 60_000) }
}

export function createExports<Subject>({ clock, stopping }: RunDeps, kind: ExportKind<Subject>): Exports {
  const { links } = kind
  let running = 0

  async function begin(token: string, caller: ExportCaller): Promise<OpenedExport> {
    const now = clock.now()
    const subject = (await links.take(hashOf(token), new Date(now), new Date(now + BUSY_MS))) ?? notFound()
    if (!(await kind.mayHave(subject))) {
      await links.setBusy(subject, new Date(0))
      notFound()
    }
    const archive = await kind.begin(subject, caller, now)
    return { name: archive.name, stream: streamOf(archive, subject) }
  }

  function streamOf({ bytes, ended }: Archive, subject: Subject): Readable {
    const stopRenewing = clock.every(RENEW_MS, () => {
      renew().catch(() => undefined)
    })
    const until = clock.now() + kind.maxMs
    async function renew(): Promise<void> {
      const isOver = clock.now() > until || !(await kind.mayHave(subject))
      if (isOver) zipped.destroy(new Error('The export has been ended.'))
      else await links.setBusy(subject, new Date(clock.now() + BUSY_MS))
    }
    async function* whole(): AsyncGenerator<Uint8Array> {
      yield* bytes
      // Before its reader has the last byte, and asks for the next one.
      await links.setBusy(subject, new Date(0))
    }
    const tar = Readable.from(whole(), { objectMode: false })
    const zipped = createGzip()
    const stop = (): void => void zipped.destroy(new Error('The server is stopping.'))
    stopping.addEventListener('abort', stop)
    tar.once('error', (error) => zipped.destroy(error))
    // However it ends: sent, given up by the client, or failed.
    zipped.once('close', () => {
      running -= 1
      stopRenewing()
      stopping.removeEventListener('abort', stop)
      tar.destroy()
      ended()
      links.setBusy(subject, new Date(0)).catch(() => undefined)
    })
    return tar.pipe(zipped)
  }

  return {
    async open(token, caller) {
      if (!(await links.exists(hashOf(token), new Date(clock.now())))) notFound()
      // Before the link is taken: it can be tried again.
      if (running >= LIMITS.exports.perProcess) fail('UNAVAILABLE', { what: 'other exports are under way' })
      running += 1
      try {
        return await begin(token, caller)
      } catch (error) {
        running -= 1
        throw error
      }
    },
  }
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

function notFound(): never {
  return fail('NOT_FOUND', { what: 'The export' })
}
