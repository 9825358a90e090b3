// A real mail server in the test's process, which does what the test says.
import type { AddressInfo, Server } from 'node:net'
import { type ParsedMail, simpleParser as parseMail } from 'mailparser'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'
import { until } from '@bowline/testkit/until'

export { type ParsedMail, parseMail }

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly wasEncrypted: boolean
  /** User that signed in; ''. */
  readonly user: string
  /** Name in EHLO. */
  readonly name: string
  readonly raw: string
  readonly parsed: ParsedMail
}

export interface TestSmtp {
  readonly port: number
  /** Mails that were taken, in order of arrival. */
  readonly mails: ReceivedMail[]
  /** Mails whose data arrived, taken or not. */
  readonly attempts: () => number
  /** The next mails are refused by these replies, one each. */
  refuse(...replies: readonly (readonly [code: number, text: string])[]): void
  /** Resolves when so many mails have been taken. */
  received(count: number): Promise<readonly ReceivedMail[]>
  close(): Promise<void>
}

/**
 * @param options of smtp-server; by default it offers neither TLS nor authentication
 * @param onData called before a mail is answered
 */
export async function startSmtp(
  options: SMTPServerOptions = {},
  onData: (session: SMTPServerSession) => Promise<void> = () => Promise.resolve(),
): Promise<TestSmtp> {
  const mails: ReceivedMail[] = []
  const refusals: (readonly [number, string])[] = []
  let attempts = 0
  async function take(raw: Buffer, session: SMTPServerSession, done: () => void): Promise<void> {
    await onData(session)
    const { mailFrom, rcptTo } = session.envelope
    mails.push({
      from: mailFrom === false ? '' : mailFrom.address,
      to: rcptTo.map(({ address }) => address),
      wasEncrypted: session.secure,
      user: typeof session.user === 'string' ? session.user : '',
      name: session.hostNameAppearsAs,
      raw: raw.toString(),
      parsed: await parseMail(raw),
    })
    done()
  }
  const server = new SMTPServer({
    disabledCommands: options.key === undefined ? ['STARTTLS', 'AUTH'] : [],
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        attempts += 1
        const refusal = refusals.shift()
        if (refusal) {
          callback(Object.assign(new Error(refusal[1]), { responseCode: refusal[0] }))
          return
        }
        const raw = Buffer.concat(chunks)
        void take(raw, session, callback)
      })
    },
    ...options,
  })
  // Clients of the tests break connections on purpose.
  server.on('error', () => undefined)
  const listening: Server = server.listen(0, '127.0.0.1')
  await new Promise<void>((resolve) => {
    if (listening.listening) resolve()
    else listening.once('listening', resolve)
  })
  return {
    port: (listening.address() as AddressInfo).port,
    mails,
    attempts: () => attempts,
    refuse: (...replies) => void refusals.push(...replies),
    async received(count) {
      await until(() => mails.length >= count)
      return mails
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
