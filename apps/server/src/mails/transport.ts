// Hands mails over to a mail server by SMTP (RFC 5321): one connection for each mail.
import { Socket, isIP } from 'node:net'
import { type Transporter, createTransport } from 'nodemailer'
import { type SmtpAnswer, accepted, failed } from './answer.ts'
import type { Letter } from './render/letter.ts'
import type { SmtpSettings } from './settings.ts'

/** A rendered mail with its envelope. */
export interface OutgoingMail extends Letter {
  readonly to: string
  /** Part of the Message-ID before the @; the same for each attempt, so that duplicates are recognised. */
  readonly id: string
  /** Part of the Message-ID after the @. */
  readonly domain: string
  readonly date: Date
}

export interface SmtpTransport {
  /** Never rejects. */
  send(mail: OutgoingMail): Promise<SmtpAnswer>
  /** Connects, encrypts and signs in, and sends nothing. Never rejects. */
  verify(): Promise<SmtpAnswer>
  /** Ends the attempts that are under way. */
  close(): void
}

export interface TransportLimits {
  /** Waiting for the connection, for the greeting and for each reply, in milliseconds. */
  readonly replyMs: number
  /** A whole attempt, in milliseconds: a server that sends a byte now and then holds no worker. */
  readonly attemptMs: number
}

export const TRANSPORT_LIMITS: TransportLimits = { replyMs: 30_000, attemptMs: 120_000 }

/**
 * @param address dialled instead of the host's name, when that has been resolved and checked already; certificates are
 *   still checked against the name
 */
export function createSmtpTransport(
  settings: SmtpSettings,
  { replyMs, attemptMs }: TransportLimits = TRANSPORT_LIMITS,
  address = settings.host,
): SmtpTransport {
  const { host, port, implicitTls, startTls, credentials, ca, name } = settings
  const sockets = new Set<Socket>()

  async function attempt(act: (transport: Transporter) => Promise<string>): Promise<SmtpAnswer> {
    const { promise: overdue, reject } = Promise.withResolvers<never>()
    // Ours, so that an overdue attempt ends for certain: a mail that is sent later nevertheless would be sent twice.
    const socket = new Socket()
    sockets.add(socket)
    const transport = createTransport({
      host: address,
      port,
      socket,
      secure: implicitTls,
      requireTLS: !implicitTls && startTls === 'required',
      ignoreTLS: startTls === 'off',
      name,
      ...(credentials ? { auth: { user: credentials.user, pass: credentials.password } } : {}),
      tls: { ...(ca === undefined ? {} : { ca }), ...(isIP(host) ? {} : { servername: host }), minVersion: 'TLSv1.2' },
      connectionTimeout: replyMs,
      greetingTimeout: replyMs,
      socketTimeout: replyMs,
      dnsTimeout: replyMs,
      // The text of a mail never makes this server read a file or a URL.
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    const timer = setTimeout(() => reject(Object.assign(new Error('overdue'), { code: 'ETIMEDOUT' })), attemptMs)
    try {
      return accepted(await Promise.race([act(transport), overdue]), settings)
    } catch (error) {
      return failed(error, settings)
    } finally {
      clearTimeout(timer)
      transport.close()
      socket.destroy()
      sockets.delete(socket)
    }
  }

  return {
    send: ({ to, id, domain, date, subject, text, html }) =>
      attempt(async (transport) => {
        const sent = await transport.sendMail({
          from: settings.from,
          ...(settings.replyTo === undefined ? {} : { replyTo: settings.replyTo }),
          to: { name: '', address: to },
          envelope: { from: bareAddress(settings.from), to: [to] },
          subject,
          text,
          ...(html === undefined ? {} : { html }),
          messageId: `<${id}@${domain}>`,
          date,
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        })
        return sent.response ?? '250'
      }),
    verify: () =>
      attempt(async (transport) => {
        await transport.verify()
        return '250 The connection works.'
      }),
    close() {
      for (const socket of sockets) socket.destroy(new Error('the server stops'))
    },
  }
}

/** The address of `Name <address>`. */
export function bareAddress(mailbox: string): string {
  return /<([^<>]+)>$/.exec(mailbox)?.[1] ?? mailbox
}
