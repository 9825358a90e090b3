// Messages between the two ends of a web terminal, and the lifecycle of a connection:
//
//   browser                               server
//   hello {ticket, size} | files {ticket}
//     | command {ticket, command} ──────►           the ticket of `terminals.open`, once
//                        ◄─────────────── welcome   {session}
//   password | key | questions ─────────►           as often as with ssh
//                        ◄─────────────── prompt | refused | ready {token}
//   data, taken, resize, bye ◄──────────► data, taken, exit, ended
//
// A dropped connection is resumed within the seconds that `ready` tells by `resume {token, received}` on a new WebSocket;
// `resumed {received}` carries how much input has arrived. Both ends then resend what the other has not received.
//
// A member may ask to join a terminal, with the ticket of `sessions.join`:
//
//   joining browser                       server                          browser of the terminal
//   join {ticket} ──────────────────────►
//                        ◄─────────────── asking {seconds}
//                                         sharing {asking, joined} ─────►
//                                         ◄──────────────────────────────  admit | refuse
//                        ◄─────────────── joined {session, size}, ready {token}
//   data, taken, bye ◄──────────────────► data, taken, size, sharing, typed
//                                         ◄──────────────────────────────  remove
//
// From there on the joining browser has the two streams of a terminal of its own: the output is everybody's, and so is the
// program that reads the input. It has no size: that is the owner's.
//
// After `hello` the two streams are those of a shell in a terminal. After `files` they are those of the device's SFTP
// server (draft-ietf-secsh-filexfer-02), after `command` the output of that command, stdout and stderr as they come; its
// input is empty. There is no terminal, and so no `resize`.
import * as z from 'zod'

export const TERMINAL_PATH = '/ws/terminal'
/** Path of terminals for existing clients. */
export const LEGACY_TERMINAL_PATH = '/ws/ssh'
export const TERMINAL_SUBPROTOCOL = 'bowline.terminal.v1'

/** Bounds of one terminal; bytes, seconds, milliseconds. */
export const TERMINAL = {
  /** Maximum output in flight or waiting for a resumption. */
  outputWindowBytes: 1024 * 1024,
  /** Maximum input in flight. */
  inputWindowBytes: 256 * 1024,
  /** Maximum bytes of a data frame of input. */
  pieceBytes: 32 * 1024,
  /** Maximum bytes of a data frame of output: what a message costs a page is hardly more for long ones. */
  outputPieceBytes: 128 * 1024,
  /** Longest WebSocket message that the server accepts. */
  messageBytes: 64 * 1024,
  /** How long servers keep a terminal after its connection has dropped, unless they are set otherwise. */
  resumeSeconds: 60,
  /** Most output that waits for a browser which has joined and reads too slowly: beyond, it is disconnected. */
  guestBacklogBytes: 2 * 1024 * 1024,
  /** Longest screen that the owner of a terminal sends with an admission, as JSON: it is within one message. */
  screenBytes: 60 * 1024,
  /** Longest command, characters. */
  commandLength: 8_192,
  /** Lifetime of an unused ticket. */
  ticketSeconds: 30,
  /** After this much silence an end sends a ping, and waits as long again for the pong. */
  quietMs: 15_000,
} as const

const size = {
  columns: z.int().min(1).max(4_096),
  rows: z.int().min(1).max(4_096),
  /** Pixels; 0 when unknown. */
  width: z.int().min(0).max(65_535).default(0),
  height: z.int().min(0).max(65_535).default(0),
}
/** Base64 of a key or signature in SSH wire format. */
const Blob = z.base64().max(24_000)

export const ClientMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    ticket: z.string().max(128),
    term: z.string().regex(/^[\w.+-]{1,64}$/),
    /** Language of texts, as LANG; absent: the device's default. */
    lang: z
      .string()
      .regex(/^[\w.@-]{1,64}$/)
      .optional(),
    ...size,
  }),
  z.object({ type: z.literal('files'), ticket: z.string().max(128) }),
  z.object({
    type: z.literal('command'),
    ticket: z.string().max(128),
    /** For the shell of the account. */
    command: z
      .string()
      .max(TERMINAL.commandLength)
      .regex(/^[^\0]*[^\0\s][^\0]*$/),
  }),
  z.object({
    type: z.literal('resume'),
    token: z.string().max(128),
    /** Bytes of output received so far. */
    received: z.int().min(0),
  }),
  z.object({ type: z.literal('password'), password: z.string().max(1_024) }),
  z.object({
    type: z.literal('key'),
    /** Public key. */
    key: Blob,
    algorithm: z.string().max(64),
    /** Over {@link loginText}, in the frame of OpenSSH's PROTOCOL.sshsig. */
    signature: Blob,
  }),
  /** The device asks its own questions; the answers follow the prompts. */
  z.object({ type: z.literal('questions') }),
  z.object({ type: z.literal('answers'), answers: z.array(z.string().max(4_096)).max(32) }),
  z.object({ type: z.literal('resize'), ...size }),
  /** Asks the person in a terminal to let the sender type in it. */
  z.object({ type: z.literal('join'), ticket: z.string().max(128) }),
  z.object({
    type: z.literal('admit'),
    guest: z.uuid(),
    /** What draws the screen as it is after {@link shown} bytes of output; '' for none. */
    screen: z.string().max(TERMINAL.screenBytes).default(''),
    /** Bytes of output that the screen has. */
    shown: z.int().min(0).default(0),
  }),
  z.object({ type: z.literal('refuse'), guest: z.uuid() }),
  z.object({ type: z.literal('remove'), guest: z.uuid() }),
  /** The user has finished: nothing is kept for a resumption. */
  z.object({ type: z.literal('bye') }),
])
export type ClientMessage = z.output<typeof ClientMessage>

/** Who ended a session and why, as stored in its row, with the text the user may read. */
export const EndCause = z.object({ by: z.string(), reason: z.string(), message: z.string() })
export type EndCause = z.output<typeof EndCause>

export const ServerMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('welcome'), session: z.string() }),
  z.object({
    type: z.literal('prompt'),
    name: z.string(),
    instruction: z.string(),
    prompts: z.array(z.object({ text: z.string(), echo: z.boolean() })),
  }),
  /** The credential was rejected; another may be tried. */
  z.object({ type: z.literal('refused') }),
  z.object({
    type: z.literal('ready'),
    /** Authorizes a resumption; equivalent to the session itself. */
    token: z.string(),
    /** How long the terminal is kept after its connection has dropped. */
    seconds: z.int().min(1).default(TERMINAL.resumeSeconds),
  }),
  z.object({
    type: z.literal('resumed'),
    /** Bytes of input received so far. */
    received: z.int().min(0),
  }),
  /** The program has ended: with an exit status, or by a signal. */
  z.object({ type: z.literal('exit'), status: z.int().optional(), signal: z.string().optional() }),
  /** The person in the terminal is asked, for so many seconds. */
  z.object({ type: z.literal('asking'), seconds: z.int() }),
  /** The person has let the receiver in. */
  z.object({ type: z.literal('joined'), session: z.string(), columns: z.int(), rows: z.int() }),
  /** The owner's terminal has another size. */
  z.object({ type: z.literal('size'), columns: z.int(), rows: z.int() }),
  /** Who else is in the terminal; complete, at each change. Only its owner is told who asks. */
  z.object({
    type: z.literal('sharing'),
    owner: z.string(),
    asking: z.array(z.object({ guest: z.string(), name: z.string(), seconds: z.int() })),
    joined: z.array(z.object({ guest: z.string(), name: z.string() })),
    /** The owner's connection is interrupted: what others type is dropped meanwhile. */
    paused: z.boolean(),
  }),
  /** Somebody who has joined types; at most once a second for each. */
  z.object({ type: z.literal('typed'), guest: z.string() }),
  /** Always the last message. */
  z.object({ type: z.literal('ended'), ...EndCause.shape }),
])
export type ServerMessage = z.output<typeof ServerMessage>

/** Namespace of the signatures (PROTOCOL.sshsig): signatures made here are valid for nothing else. */
export const LOGIN_SIGNATURE_NAMESPACE = 'web-terminal@bowline'

/** The text a key signs to open a session. The server determines every part but the origin, which the browser knows. */
export function loginText(of: { origin: string; session: string; device: string; username: string }): string {
  return [of.origin, of.session, of.device, of.username].join('\n')
}
