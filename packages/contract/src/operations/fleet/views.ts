// Saved views of lists, and favourite devices: how one person, or everybody in the namespace, looks at them.
import * as z from 'zod'
import { LIMITS } from '../../limits.ts'
import { operation } from '../../operation.ts'
import { DeviceUid, NO_CONTROL, Time } from '../../schemas/common.ts'

const LISTS = ['devices', 'containers', 'sessions'] as const

export const ViewName = z
  .string()
  .trim()
  .min(1, 'is required')
  .max(LIMITS.views.name, `must have at most ${LIMITS.views.name} characters`)
  .regex(NO_CONTROL, 'must not have control characters')

/** Parameters of the console's address: filters, order, columns. The server stores them as they are. */
const ViewQuery = z
  .record(z.string().max(32), z.union([z.string().max(512), z.number(), z.array(z.string().max(255)).max(32)]))
  .refine((query) => JSON.stringify(query).length <= LIMITS.views.queryLength, {
    message: `must have at most ${LIMITS.views.queryLength} characters as JSON`,
  })

export const SavedView = z
  .object({
    id: z.string(),
    name: z.string(),
    list: z.enum(LISTS),
    /** Everybody in the namespace has it. */
    shared: z.boolean(),
    query: ViewQuery,
    created_at: Time,
  })
  .meta({ id: 'SavedView' })
export type SavedView = z.infer<typeof SavedView>

const byId = z.object({ id: z.uuid('must be the id of a view') })

export const views = {
  list: operation({
    method: 'GET',
    path: '/api/views',
    noun: 'views',
    summary: 'Saved views of a list: your own and those of the namespace, by name',
    access: { kind: 'member', keys: false },
    query: z.object({ list: z.enum(LISTS).default('devices') }),
    response: z.array(SavedView),
  }),
  create: operation({
    method: 'POST',
    path: '/api/views',
    noun: 'views',
    summary: 'Save a view for yourself, or as an operator for everybody in the namespace',
    access: { kind: 'member', keys: false },
    body: z.object({
      name: ViewName,
      list: z.enum(LISTS).default('devices'),
      shared: z.boolean().default(false),
      query: ViewQuery,
    }),
    bodyBytes: 16_384,
    response: SavedView,
    errors: ['CONFLICT', 'NAMESPACE_FULL'],
  }),
  update: operation({
    method: 'PUT',
    path: '/api/views/{id}',
    noun: 'views',
    summary: 'Rename a view, or let it show something else',
    access: { kind: 'member', keys: false },
    params: byId,
    body: z.object({ name: ViewName.optional(), query: ViewQuery.optional() }),
    bodyBytes: 16_384,
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  remove: operation({
    method: 'DELETE',
    path: '/api/views/{id}',
    noun: 'views',
    summary: 'Delete a view',
    access: { kind: 'member', keys: false },
    params: byId,
    errors: ['NOT_FOUND'],
  }),
  favorites: operation({
    method: 'GET',
    path: '/api/favorites',
    noun: 'views',
    summary: 'Uids of your favorite devices',
    access: { kind: 'member', keys: false },
    response: z.array(DeviceUid),
  }),
  addFavorite: operation({
    method: 'PUT',
    path: '/api/favorites/{uid}',
    noun: 'views',
    summary: 'Make a device a favorite of yours',
    access: { kind: 'member', keys: false },
    params: z.object({ uid: DeviceUid }),
    errors: ['NOT_FOUND', 'NAMESPACE_FULL'],
  }),
  removeFavorite: operation({
    method: 'DELETE',
    path: '/api/favorites/{uid}',
    noun: 'views',
    summary: 'Take a device off your favorites',
    access: { kind: 'member', keys: false },
    params: z.object({ uid: DeviceUid }),
    errors: ['NOT_FOUND'],
  }),
}
