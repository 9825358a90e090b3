// Recordings of all sessions of a namespace; those of one session are calls of sessions.
import * as z from 'zod'
import { operation } from '../operation.ts'
import { When } from '../schemas/audit.ts'
import { DeviceUid, Page, SessionUid, UserId } from '../schemas/common.ts'
import { FilterText } from '../schemas/filter.ts'
import { ListedRecording, RecordingHit, RecordingKey, RecordingKeyPeriod } from '../schemas/recording.ts'

export const recordings = {
  key: operation({
    method: 'GET',
    path: '/api/recordings/key',
    noun: 'recordings',
    summary: 'The public key that recordings are signed with: verifies a downloaded recording without this server',
    access: { kind: 'public' },
    response: RecordingKey,
  }),
  keys: operation({
    method: 'GET',
    path: '/api/recordings/keys',
    noun: 'recordings',
    summary: 'Every public key that recordings are or were signed with, the oldest first, and when',
    access: { kind: 'public' },
    response: z.array(RecordingKeyPeriod),
  }),
  list: operation({
    method: 'GET',
    path: '/api/recordings',
    noun: 'recordings',
    summary: 'Recordings with a summary each, the latest first',
    access: { kind: 'member', permission: 'sessionPlay', keys: true },
    query: Page.extend({
      /** Conditions on the sessions, as of their list. */
      filter: FilterText,
    }),
    response: z.array(ListedRecording),
    total: true,
    errors: ['INVALID_FILTER'],
  }),
  search: operation({
    method: 'GET',
    path: '/api/recordings/search',
    noun: 'recordings',
    summary:
      'Search commands and screen contents of recorded sessions, the last recorded first; of one session in its order',
    access: { kind: 'member', permission: 'sessionPlay', keys: true },
    query: Page.extend({
      /** Words that must all match, in any order; `"in this order"`, `begin*`. Paths and names match too. */
      q: z.string().min(1, 'must not be empty').max(256, 'must have at most 256 characters'),
      /** Only in this session. */
      session: SessionUid.optional(),
      /** Only in sessions on this device. */
      device: DeviceUid.optional(),
      /** Only in sessions of this person. */
      person: UserId.optional(),
      /** Only in sessions that began then or later. */
      from: When.optional(),
      /** Only in sessions that began before. */
      to: When.optional(),
    }),
    response: z.array(RecordingHit),
    total: true,
  }),
}
