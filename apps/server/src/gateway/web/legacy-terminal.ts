// The web terminal of existing clients (api.md section 16.5): the person's messages are JSON of `{kind, data}`, output is
// plain text. A dropped connection ends the session. With the fingerprint of a key the browser is asked to sign.
import { randomBytes } from 'node:crypto'
import { StringDecoder } from 'node:string_decoder'
import { TERMINAL } from '@bowline/contract/terminal/messages'
import type { CloseCause } from '@bowline/ssh/api'
import { parsePublicKey } from '@bowline/ssh/keys/public-key'
import { verifySignature } from '@bowline/ssh/keys/signature'
import { WireWriter } from '@bowline/ssh/wire/writer'
import type { WebSocket } from 'ws'
import * as z from 'zod'
import type { TerminalView, Terminal, WebConnection } from './web-connection.ts'

/** What the client may send. Sizes beyond what the old clients' field holds are refused. */
const Message = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal(1), data: z.base64() }),
  z.object({
    kind: z.literal(2),
    data: z.object({ cols: z.int().min(0).max(65_535), rows: z.int().min(0).max(65_535) }),
  }),
  z.object({ kind: z.literal(3), data: z.base64().max(24_000) }),
])

/** A key is known by its old fingerprint; the blob is the namespace's. */
export type LegacyCredential = { readonly password: string } | { readonly key: Uint8Array | undefined }

export interface LegacyTerminal {
  readonly view: TerminalView
  /** Signs in and runs the shell until it ends. */
  run(connection: WebConnection, credential: LegacyCredential, terminal: Terminal): Promise<void>
}

/** Output that the socket may hold. */
const HIGH_BYTES = 256 * 1024

export function createLegacyTerminal(socket: WebSocket): LegacyTerminal {
  const utf8 = new StringDecoder('utf8')
  const proof = Promise.withResolvers<Buffer | undefined>()
  let isRunning = false
  let isBehind = false
  let unconsumed = 0
  let connection: WebConnection | undefined

  const say = (text: string): void => socket.send(text, { binary: false })
  function input(bytes: Buffer): void {
    unconsumed += bytes.length
    // The device does not read: neither do we.
    if (unconsumed > TERMINAL.inputWindowBytes) socket.pause()
    connection?.input(bytes)
  }

  socket.on('message', (data: Buffer) => {
    const message = read(data)
    if (!message) {
      connection?.disconnect({ by: 'protocol', reason: 'malformed-message', message: 'A message is not understood.' })
    } else if (message.kind === 1) input(Buffer.from(message.data, 'base64'))
    else if (message.kind === 3) proof.resolve(Buffer.from(message.data, 'base64'))
    else if (isRunning) {
      connection?.resize({ columns: message.data.cols || 80, rows: message.data.rows || 24, width: 0, height: 0 })
    }
  })
  socket.on('close', () => {
    proof.resolve(undefined)
    connection?.leave('The person closed the terminal.')
  })

  const view: TerminalView = {
    output(bytes) {
      const text = utf8.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
      socket.send(text, { binary: false }, () => {
        if (!isBehind || socket.bufferedAmount > HIGH_BYTES / 2) return
        isBehind = false
        connection?.drained()
      })
      isBehind ||= socket.bufferedAmount > HIGH_BYTES
      return !isBehind
    },
    consumed(count) {
      unconsumed -= count
      if (unconsumed <= TERMINAL.inputWindowBytes / 2) socket.resume()
    },
    exit: () => undefined,
    closed(cause: CloseCause) {
      if (cause.by !== 'peer') say(`\r\n${cause.message}\r\n`)
      socket.close(1000)
    },
  }

  /** Whether the browser has signed a challenge with the key. */
  async function hasSigned(blob: Uint8Array): Promise<boolean> {
    const challenge = Buffer.concat([Buffer.from('bowline web terminal\0'), randomBytes(32)])
    say(JSON.stringify({ kind: 3, data: challenge.toString('base64') }))
    const raw = await proof.promise
    const key = parsePublicKey(blob)
    const algorithms = key.kind === 'rsa' ? ['rsa-sha2-512', 'rsa-sha2-256'] : [key.type]
    return algorithms.some((algorithm) => {
      const signature = new WireWriter(600)
        .string(algorithm)
        .string(raw ?? '')
        .done()
      return verifySignature({ key, algorithm, message: challenge, signature })
    })
  }

  async function signIn(to: WebConnection, credential: LegacyCredential): Promise<boolean> {
    if ('password' in credential) return to.attempt({ method: 'password', password: credential.password })
    const { key: blob } = credential
    if (!blob || !(await hasSigned(blob))) return false
    const { type } = parsePublicKey(blob)
    return to.attempt({ method: 'publickey', key: { type, algorithm: type, blob }, proven: true })
  }

  return {
    view,
    async run(to, credential, terminal) {
      connection = to
      if (!(await signIn(to, credential))) {
        return to.disconnect({ by: 'local', reason: 'authentication-refused', message: REFUSED })
      }
      isRunning = true
      await to.start(terminal)
    },
  }
}

const REFUSED = 'Bowline: permission denied.'

function read(data: Buffer): z.output<typeof Message> | undefined {
  try {
    return Message.parse(JSON.parse(data.toString()))
  } catch {
    return undefined
  }
}
