// The web terminal of existing consoles: client messages are JSON of `{kind, data}`, output is raw text. A dropped
// connection ends the session. For a key fingerprint, either a signature over the user name came with the token, or the
// browser signs a challenge.
import { randomBytes } from 'node:crypto'
import { StringDecoder } from 'node:string_decoder'
import { TERMINAL } from '@bowline/contract/terminal/messages'
import type { CloseCause } from '@bowline/ssh/api'
import { parsePublicKey } from '@bowline/ssh/keys/public-key'
import type { WebSocket } from 'ws'
import * as z from 'zod'
import { isSignedBy } from './legacy-key.ts'
import type { TerminalView, Terminal, WebConnection } from './web-connection.ts'
import { TEXTS } from '../record/texts.ts'

/** Client messages. Sizes beyond the range of the old clients' field are refused. */
const Message = z.discriminatedUnion('kind', [
  // A list of bytes up to v0.19, text since v0.20.
  z.object({ kind: z.literal(1), data: z.union([z.array(z.int().min(0).max(255)), z.string().max(4_096)]) }),
  z.object({
    kind: z.literal(2),
    data: z.object({ cols: z.int().min(0).max(65_535), rows: z.int().min(0).max(65_535) }),
  }),
  // `false`: the browser could not sign.
  z.object({ kind: z.literal(3), data: z.union([z.base64().max(24_000), z.literal(false)]) }),
])

export type ShownCredential =
  | { readonly password: string }
  /** `blob`: the registered key; undefined when none has this fingerprint. */
  | { readonly blob: Uint8Array | undefined; readonly signature?: SignatureOverName | undefined }

/** A signature that came with the token. */
export interface SignatureOverName {
  readonly username: string
  readonly signature: Uint8Array
  /** Records that the login relies on a replayable signature. */
  accepted(session: string): Promise<void>
}

export interface LegacyTerminalOptions {
  /** Sends output in binary messages, which clients since v0.20 expect; in text messages otherwise. */
  readonly binary: boolean
}

export interface LegacyTerminal {
  readonly view: TerminalView
  /** Signs in and starts the shell. Input is buffered until then. */
  run(connection: WebConnection, credential: Promise<ShownCredential>, terminal: Terminal): Promise<void>
}

/** Limit of buffered output per socket; above it the device is paused. */
const HIGH_BYTES = 256 * 1024

export function createLegacyTerminal(socket: WebSocket, { binary }: LegacyTerminalOptions): LegacyTerminal {
  const utf8 = new StringDecoder('utf8')
  const proof = Promise.withResolvers<Buffer | undefined>()
  let isRunning = false
  let isBehind = false
  let unconsumed = 0
  let connection: WebConnection | undefined

  const show = (text: string, sent?: () => void): void =>
    socket.send(binary ? Buffer.from(text) : text, { binary }, sent)
  function input(bytes: Buffer): void {
    unconsumed += bytes.length
    // The device does not read: apply backpressure.
    if (unconsumed > TERMINAL.inputWindowBytes) socket.pause()
    connection?.input(bytes)
  }

  socket.on('message', (data: Buffer) => {
    const message = read(data)
    if (!message) {
      connection?.disconnect(MALFORMED)
    } else if (message.kind === 1) input(inputBytes(message.data))
    else if (message.kind === 3) proof.resolve(message.data === false ? undefined : Buffer.from(message.data, 'base64'))
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
      show(text, () => {
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
      if (cause.by !== 'peer') show(`\r\n${cause.message}\r\n`)
      socket.close(1000)
    },
  }

  /** Has the browser sign a challenge with the key. Unknown keys are challenged too: it discloses nothing. */
  async function signsChallenge(blob: Uint8Array | undefined): Promise<boolean> {
    const challenge = Buffer.concat([Buffer.from('bowline web terminal\0'), randomBytes(32)])
    socket.send(JSON.stringify({ kind: 3, data: challenge.toString('base64') }), { binary: false })
    const signature = await proof.promise
    return blob !== undefined && signature !== undefined && isSignedBy(blob, challenge, signature)
  }

  async function signIn(to: WebConnection, credential: ShownCredential): Promise<boolean> {
    if ('password' in credential) return to.attempt({ method: 'password', password: credential.password })
    const { blob, signature: shown } = credential
    if (shown) {
      if (!blob || !isSignedBy(blob, Buffer.from(shown.username), shown.signature)) return false
      await shown.accepted(to.sessionId)
    } else if (!(await signsChallenge(blob)) || !blob) return false
    const { type } = parsePublicKey(blob)
    return to.attempt({ method: 'publickey', key: { type, algorithm: type, blob }, proven: true })
  }

  return {
    view,
    async run(to, credential, terminal) {
      connection = to
      if (!(await signIn(to, await credential))) {
        return to.disconnect({ by: 'local', reason: 'authentication-refused', message: TEXTS.permissionDenied })
      }
      isRunning = true
      await to.start(terminal)
    },
  }
}

const MALFORMED: CloseCause = {
  by: 'protocol',
  reason: 'malformed-message',
  message: TEXTS.notUnderstood,
}

function inputBytes(data: string | number[]): Buffer {
  return typeof data === 'string' ? Buffer.from(data) : Buffer.from(data)
}

function read(data: Buffer): z.output<typeof Message> | undefined {
  try {
    return Message.parse(JSON.parse(data.toString()))
  } catch {
    return undefined
  }
}
