// Routes of recordings.
import { Readable } from 'node:stream'
import { fail } from '@bowline/contract/errors'
import { operations } from '@bowline/contract/operations'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { type Route, internalRoute, memberRoute, publicRoute } from '../http/route.ts'
import { whenClosed } from '../http/response/when-closed.ts'
import { findTenantOfSession } from '../sessions/service.ts'
import { type Format, fileFrom, inFormat } from './formats.ts'
import type { Recordings } from './recordings.ts'
import { searchRecordings } from './search.ts'
import { addFrame, findRange, getIndex, getKeyframe, openRecording, removeRecording } from './service.ts'
import { listOfSession, listRecordings } from './summary/list.ts'
import { verifyRecording } from './verification.ts'
import { getPreview } from './viewers/preview.ts'
import { createViewers } from './viewers/viewers.ts'

/**
 * @param system system connection: posted frames name no namespace
 * @param contextOf the platform's own context in a namespace
 */
export function recordingRoutes(
  recordings: Recordings,
  system: Kysely<Schema>,
  contextOf: (tenant: TenantId, source: string) => TenantContext,
): Route[] {
  const { sessions } = operations
  const oneAfterTheOther = serialise()
  const viewers = createViewers(({ tenant }) => contextOf(tenant, ''))
  return [
    memberRoute(sessions.getRecord, async (ctx, { params, query }) => {
      const { row, file } = await openRecording(ctx, recordings, params)
      // However the answer ends, and even if none of it was read.
      whenClosed(ctx.reply.raw, () => void file.close())
      const format = query.format ?? wanted(ctx.request.headers.accept)
      void ctx.reply.type(format === 'frames' ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8')
      const { after } = query
      if (after !== undefined && format !== 'cast3') {
        fail('INVALID_INPUT', { field: 'after', rule: 'needs the format cast3' }, ['after'])
      }
      const range = await findRange(ctx, recordings, row, query)
      await viewers.saw(ctx, { session: row.session_uid, seat: row.seat, isLive: row.state === 'recording' })
      const answer = after === undefined ? inFormat(file, row, format, range) : fileFrom(file, after)
      await ctx.reply.send(Readable.from(answer))
      return undefined
    }),
    memberRoute(sessions.getRecordIndex, async (ctx, { params }) => {
      const index = await getIndex(ctx, recordings, params)
      if (index.commands.length > 0) await viewers.readCommands(ctx, { session: params.uid, seat: params.seat })
      return index
    }),
    memberRoute(sessions.getKeyframe, async (ctx, { params, query }) => {
      const keyframe = await getKeyframe(ctx, recordings, params, query.at)
      if (keyframe.screen) await viewers.saw(ctx, { session: params.uid, seat: params.seat, isLive: false })
      return keyframe
    }),
    memberRoute(sessions.getPreview, async (ctx, { params }) => {
      const preview = await getPreview(ctx, recordings, params)
      if (preview.screen) await viewers.previewed(ctx, { session: params.uid, seat: params.seat })
      return preview
    }),
    publicRoute(operations.recordings.key, async () => {
      await recordings.key.refresh()
      return recordings.key.published
    }),
    publicRoute(operations.recordings.keys, async () => {
      await recordings.key.refresh()
      return [...recordings.key.periods]
    }),
    memberRoute(operations.recordings.list, (ctx, { query }) => listRecordings(ctx, query)),
    memberRoute(sessions.records, (ctx, { params }) => listOfSession(ctx, params.uid)),
    memberRoute(operations.recordings.search, (ctx, { query }) => searchRecordings(ctx, query)),
    memberRoute(sessions.verifyRecord, (ctx, { params }) => verifyRecording(ctx, recordings, params)),
    memberRoute(sessions.removeRecord, (ctx, { params }) => removeRecording(ctx, recordings, params)),
    internalRoute(sessions.addRecord, async ({ source }, { params, body }) => {
      const other = (['uid', 'seat'] as const).find((field) => body[field] !== params[field])
      if (other) fail('INVALID_INPUT', { field: other, rule: 'must be the one of the path' }, [other])
      const tenant = (await findTenantOfSession(system, params.uid)) ?? fail('NOT_FOUND', { what: 'The session' })
      await oneAfterTheOther(`${params.uid} ${params.seat}`, () =>
        addFrame(contextOf(tenant, source), recordings, params, body),
      )
    }),
  ]
}

/**
 * Players of existing consoles accept JSON, `text/plain` and anything, but can only play a cast; typed clients accept
 * JSON alone.
 */
function wanted(accept = ''): Format {
  const takesText = accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return type === 'text/plain' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
  return takesText ? 'cast' : 'frames'
}

/** Serialises work with the same name. */
function serialise(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return (name, work) => {
    const run = (last.get(name) ?? Promise.resolve()).then(work, work)
    const done = run
      .catch(() => undefined)
      .finally(() => {
        if (last.get(name) === done) last.delete(name)
      })
    last.set(name, done)
    return run
  }
}
