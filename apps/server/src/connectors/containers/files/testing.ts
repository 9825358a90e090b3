// For tests: a session of the subsystem sftp in a container, with a client that speaks it.
import type { Link } from '@bowline/link/api'
import type { SessionOpen } from '@bowline/link/stream-messages'
import { RecordedStream } from '@bowline/link/testing/pair'
import { Client } from '@bowline/sftp/testing/client'
import { CLIENT, signIn } from '../testing.ts'

export interface FilesUnderTest {
  readonly session: RecordedStream
  readonly client: Client
}

export async function filesOf(link: Link, user: string): Promise<FilesUnderTest> {
  const { stream: login } = await signIn(link, user)
  const open: SessionOpen = { login: login.id, run: { type: 'subsystem', name: 'sftp' }, env: [], client: CLIENT }
  const session = RecordedStream.open(link, 'session', open)
  const client = new Client((packet) => void session.stream.write(packet))
  const record = session.data.bind(session)
  session.data = (chunk, lane) => {
    record(chunk, lane)
    if (lane === 0) client.received(chunk)
  }
  const closed = session.closed.bind(session)
  session.closed = (cause) => {
    closed(cause)
    client.ended(JSON.stringify([cause, session.messages]))
  }
  await client.start()
  return { session, client }
}
