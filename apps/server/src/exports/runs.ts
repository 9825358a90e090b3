// Archives that are being written to people: each by a link that works once, some at a time in a process, and only while
// whoever asked for it may have it.
//
// The archive is made while it is sent, and stored nowhere. So its size needs no disk and no store, no copy of everything
// waits for a thief, any server of a cluster answers, and memory is constant. A download that breaks off is begun anew;
// whoever has too much for that exports on the server, into a file. Downloads that nobody reads would keep everybody else
// from theirs: a person has one at a time, and one that is read too slowly gives way to whoever waits.
import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { Clock } from '@bowline/base/clock'
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { UserId } from '@bowline/contract/schemas/common'
import type { Log } from '../platform/log.ts'

/** An export counts as under way for so long after the last sign of it, in milliseconds. */
const BUSY_MS = 60_000
const RENEW_MS = 20_000
/** Slowest pace at which an archive may be read while others wait, before compression, over that many renewals. */
const PACE = { bytesPerSecond: 262_144, renewals: 3 }

export interface RunDeps {
  readonly clock: Clock
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal
}

/** Links to archives of one kind; a subject has one at a time. */
export interface ExportLinks<Subject> {
  find(hash: Buffer, now: Date): Promise<Subject | undefined>
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
  personOf(subject: Subject): UserId
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
   *   any more; UNAVAILABLE when the process writes as many as it may, or another one to the same person
   */
  open(token: string, caller: ExportCaller): Promise<OpenedExport>
}

/** An archive that is being written. */
interface Run {
  readonly person: UserId
  /** Made so far, in bytes before compression. */
  bytes: number
  /** `bytes` at the latest renewals. */
  readonly marks: number[]
  end(): void
}

const paceOf = ({ bytes, marks }: Run): number =>
  marks.length < PACE.renewals ? Infinity : ((bytes - (marks[0] ?? 0)) * 1_000) / (PACE.renewals * RENEW_MS)

/** A new link. */
export function newLink(now: number) {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: hashOf(token), expires: new Date(now + LIMITS.exports.linkMinutes * 60_000) }
}

export function createExports<Subject>({ clock, stopping }: RunDeps, kind: ExportKind<Subject>): Exports {
  const { links } = kind
  const running = new Set<Run>()

  /** @throws {BowlineError} UNAVAILABLE */
  function admit(person: UserId): Run {
    const others = [...running]
    if (others.some((one) => one.person === person))
      fail('UNAVAILABLE', { what: 'another export of yours is under way' })
    if (others.length >= LIMITS.exports.perProcess) {
      const [slowest] = others.sort((one, other) => paceOf(one) - paceOf(other))
      if (!slowest || paceOf(slowest) >= PACE.bytesPerSecond) {
        return fail('UNAVAILABLE', { what: 'other exports are under way' })
      }
      running.delete(slowest)
      slowest.end()
    }
    const run: Run = { person, bytes: 0, marks: [], end: () => undefined }
    running.add(run)
    return run
  }

  async function begin(token: string, caller: ExportCaller, run: Run): Promise<OpenedExport> {
    const now = clock.now()
    const subject = (await links.take(hashOf(token), new Date(now), new Date(now + BUSY_MS))) ?? notFound()
    if (!(await kind.mayHave(subject))) {
      await links.setBusy(subject, new Date(0))
      notFound()
    }
    const archive = await kind.begin(subject, caller, now)
    return { name: archive.name, stream: streamOf(archive, subject, run) }
  }

  function streamOf({ bytes, ended }: Archive, subject: Subject, run: Run): Readable {
    const stopRenewing = clock.every(RENEW_MS, () => {
      run.marks.push(run.bytes)
      if (run.marks.length > PACE.renewals) run.marks.shift()
      renew().catch(() => undefined)
    })
    const until = clock.now() + kind.maxMs
    async function renew(): Promise<void> {
      const isOver = clock.now() > until || !(await kind.mayHave(subject))
      if (isOver) zipped.destroy(new Error('The export has been ended.'))
      else await links.setBusy(subject, new Date(clock.now() + BUSY_MS))
    }
    async function* whole(): AsyncGenerator<Uint8Array> {
      for await (const piece of bytes) {
        run.bytes += piece.length
        yield piece
      }
      // Before its reader has the last byte, and asks for the next one.
      await links.setBusy(subject, new Date(0))
    }
    const tar = Readable.from(whole(), { objectMode: false })
    const zipped = createGzip()
    const stop = (): void => void zipped.destroy(new Error('The server is stopping.'))
    run.end = () => void zipped.destroy(new Error('The export was read too slowly while others waited.'))
    stopping.addEventListener('abort', stop)
    tar.once('error', (error) => zipped.destroy(error))
    // However it ends: sent, given up by the client, or failed.
    zipped.once('close', () => {
      running.delete(run)
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
      const subject = (await links.find(hashOf(token), new Date(clock.now()))) ?? notFound()
      // Before the link is taken: it can be tried again.
      const run = admit(kind.personOf(subject))
      try {
        return await begin(token, caller, run)
      } catch (error) {
        running.delete(run)
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
