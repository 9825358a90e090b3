// Who looks at recordings, as events of the session: `watch` and `watch-end` while it is being recorded, `play` afterwards.
// Web terminals show the former to the person who is watched. Each beginning is also in the audit log. A preview, and
// the commands of an index, are in the audit log only.
import type { SessionUid } from '@bowline/contract/schemas/common'
import { audit, auditActor } from '../../audit/service.ts'
import type { Actor, TenantContext } from '../../context.ts'
import { noteSessionEvents } from '../../sessions/service.ts'

/** A player asks every second while it is visible. */
const WATCH_ENDS_MS = 15_000
/** A player reads a recording in parts: those of an hour are one look at it. */
const LOOK_LASTS_MS = 3_600_000
/** Beyond, the oldest look is forgotten: its next part counts as a further one. */
const MAX_LOOKS = 10_000

export interface Seen {
  readonly session: SessionUid
  readonly seat: number
  /** It is still being written. */
  readonly isLive: boolean
}

export interface Viewers {
  /** A part of a recording is about to be sent to the caller. Rejects when it cannot be noted: then it must not be sent. */
  saw(ctx: TenantContext, recording: Seen): Promise<void>
  /** The same for the preview of a recording: one entry for each person, session and hour. */
  previewed(ctx: TenantContext, recording: Omit<Seen, 'isLive'>): Promise<void>
  /**
   * The same for the commands in its index: one entry for each person, seat and hour, and none within the hour of a look at
   * the recording itself, which shows more.
   */
  readCommands(ctx: TenantContext, recording: Omit<Seen, 'isLive'>): Promise<void>
}

/** @param platformContext the platform's own context in the caller's namespace, for the end of a watch */
export function createViewers(platformContext: (ctx: TenantContext) => TenantContext): Viewers {
  /** Time of the latest part that each watcher of a session got, and of the first of each look; monotonic clock. */
  const watches = new Map<string, { at: number }>()
  const looks = new Map<string, number>()

  async function saw(ctx: TenantContext, recording: Seen): Promise<void> {
    const key = keyOf(ctx, recording)
    if (recording.isLive) return watch(ctx, recording, key, ctx.clock.monotonic())
    return onceAnHour(ctx, `play ${key} ${recording.seat}`, () => begin(ctx, recording, 'play'))
  }

  function previewed(ctx: TenantContext, recording: Omit<Seen, 'isLive'>): Promise<void> {
    const { session, seat } = recording
    return onceAnHour(ctx, `preview ${keyOf(ctx, recording)}`, () => audit(ctx, 'recording.preview', session, { seat }))
  }

  async function readCommands(ctx: TenantContext, recording: Omit<Seen, 'isLive'>): Promise<void> {
    const { session, seat } = recording
    const key = `${keyOf(ctx, recording)} ${seat}`
    const played = looks.get(`play ${key}`)
    if (played !== undefined && ctx.clock.monotonic() - played < LOOK_LASTS_MS) return
    await onceAnHour(ctx, `commands ${key}`, () => audit(ctx, 'recording.commands', session, { seat }))
  }

  async function watch(ctx: TenantContext, recording: Seen, key: string, at: number): Promise<void> {
    const known = watches.get(key)
    if (known) {
      known.at = at
      return
    }
    const watching = { at }
    watches.set(key, watching)
    await begin(ctx, recording, 'watch').catch((error: unknown) => {
      watches.delete(key)
      throw error
    })
    const { clock, log, actor } = ctx
    const platform = platformContext(ctx)
    const endWhenIdle = (): void => {
      const left = watching.at + WATCH_ENDS_MS - clock.monotonic()
      if (left > 0) return void clock.after(left, endWhenIdle)
      watches.delete(key)
      note(platform, recording, 'watch-end', actor).catch((error: unknown) =>
        log.error('recording.failed', { session: recording.session, seat: recording.seat, err: error }),
      )
    }
    endWhenIdle()
  }

  async function onceAnHour(ctx: TenantContext, key: string, write: () => Promise<void>): Promise<void> {
    const at = ctx.clock.monotonic()
    const begun = looks.get(key)
    if (begun !== undefined && at - begun < LOOK_LASTS_MS) return
    const [oldest] = looks.keys()
    if (looks.size >= MAX_LOOKS && oldest !== undefined) looks.delete(oldest)
    // At the end of the order.
    looks.delete(key)
    looks.set(key, at)
    await write().catch((error: unknown) => {
      looks.delete(key)
      throw error
    })
  }

  return { saw, previewed, readCommands }
}

function keyOf(ctx: TenantContext, { session }: Pick<Seen, 'session'>): string {
  return `${ctx.tenant} ${session} ${JSON.stringify(whoIs(ctx.actor))}`
}

async function begin(ctx: TenantContext, recording: Seen, type: 'watch' | 'play'): Promise<void> {
  await audit(ctx, `recording.${type}`, recording.session, { seat: recording.seat })
  await note(ctx, recording, type, ctx.actor)
}

function note(ctx: TenantContext, { session, seat }: Seen, type: string, actor: Actor): Promise<void> {
  return noteSessionEvents(ctx, session, [{ type, seat, at: ctx.clock.now(), data: whoIs(actor) }])
}

function whoIs(actor: Actor): Readonly<Record<string, string>> {
  const { type, id } = auditActor(actor)
  // People are known by their name here, as everywhere in a session.
  return actor.kind === 'user' ? { by: actor.username } : { by: id, type }
}
