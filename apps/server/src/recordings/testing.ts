// Recordings in tests: sessions with files of these events, and the indexing that reads them.
import { randomBytes, randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createEventLines, headerLine } from '@bowline/asciicast/write'
import { systemClock } from '@bowline/base/clock'
import { SessionUid } from '@bowline/contract/schemas/common'
import { until } from '@bowline/testkit/until'
import { silentLog } from '../platform/log.ts'
import type { BootedServer, Person } from '../testing/boot.ts'
import { createIndexing } from './index/indexing.ts'
import type { Completed } from './summary/completion.ts'

/** Not the one of the server, whose own indexing would take part. */
const NODE = 'the node of these recordings'

/** What a shell with its marks writes (OSC 133). */
export const mark = (text: string): string => `\u001b]133;${text}\u0007`

type Event = readonly ['o' | 'r', string]

interface RecordedAs {
  readonly state?: 'complete' | 'recording'
  /** Run without a shell. */
  readonly command?: string
  /** Further columns of the session. */
  readonly session?: object
}

export interface RecordingWorld {
  /** A session with a recording of these events, one each second. */
  recorded(events: readonly Event[], as?: RecordedAs): Promise<SessionUid>
  /** Reads through all that is complete. */
  indexed(completed?: Completed): Promise<void>
  /** The file of a session's recording. */
  castOf(session: SessionUid): Promise<Buffer>
}

export function recordingWorld(server: BootedServer, person: Person): RecordingWorld {
  const db = server.database.system()
  const file = (id: string, kind: 'cast' | 'index') => join(server.dataFolder, 'recordings', `${id}.${kind}`)
  return {
    async recorded(events, { state = 'complete', command = '', session: values = {} } = {}) {
      const { uid: device_uid } = await server.acceptedDevice(person)
      const uid = SessionUid.parse(randomBytes(32).toString('hex'))
      const session = {
        uid,
        tenant_id: person.tenant,
        device_uid,
        username: 'root',
        type: 'term' as const,
        recorded: true,
      }
      await db
        .insertInto('sessions')
        .values({ ...session, ...values })
        .execute()
      const lines = createEventLines()
      const cast =
        headerLine({ columns: 80, rows: 24, term: 'xterm' }) +
        events.map(([code, data], number) => lines.next(code, data, 1_000 * (number + 1))).join('')
      const id = randomUUID()
      await writeFile(file(id, 'cast'), cast)
      const times = { started_at: new Date(1_700_000_000_000), ended_at: state === 'complete' ? new Date() : null }
      const row = { id, tenant_id: person.tenant, session_uid: uid, seat: 0, state, node: NODE, command, ...times }
      await db
        .insertInto('recordings')
        .values({ ...row, bytes: Buffer.byteLength(cast) })
        .execute()
      return uid
    },
    async indexed(completed) {
      const files = (id: string) => ({ cast: file(id, 'cast'), index: file(id, 'index') })
      const parts = { system: db, clock: systemClock, node: NODE, log: silentLog, files }
      const indexing = createIndexing({ ...parts, ...(completed ? { completed } : {}), indexed: () => undefined })
      indexing.wake()
      const left = db.selectFrom('recordings').select('id').where('indexed', '=', 'no').where('state', '=', 'complete')
      await until(async () => (await left.execute()).length === 0)
      await indexing.close()
    },
    async castOf(session) {
      const row = await db
        .selectFrom('recordings')
        .select('id')
        .where('session_uid', '=', session)
        .executeTakeFirstOrThrow()
      return readFile(file(row.id, 'cast'))
    },
  }
}
