// Message schemas of each stream kind: what the gateway sends in `open` and `control`, and what the agent answers.
// Receivers parse with these before trusting anything (the agent is untrusted to the gateway; the gateway is one bug
// away from being untrusted to the agent).
import * as z from 'zod'

const uint = z.number().int().min(0).max(0xffff_ffff)
const text = (max: number) => z.string().max(max)

/** Environment variables a device accepts from a client: language and terminal. Others could inject code. */
export const CLIENT_VARIABLE = /^(?:LANG|LC_[A-Z]+|TERM|COLORTERM)$/

/** Trace of the server's (W3C `traceparent`), for the device's own log; older agents ignore it. */
const traced = {
  trace: z
    .string()
    .regex(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
    .optional()
    // What only helps to search logs refuses nobody.
    .catch(undefined),
}

/** Terminal size in characters, and in pixels when known (0 otherwise). */
export const WindowSize = z.object({ columns: uint, rows: uint, width: uint, height: uint })
export type WindowSize = z.infer<typeof WindowSize>

/**
 * `auth`: checks one credential on the device. After `accepted` the stream stays open for the lifetime of the login:
 * `session`, `dial` and `listen` streams refer to it, and closing it ends all of them. Credentials arrive as control
 * messages, so a wrong password costs no new stream.
 */
export const AuthOpen = z.object({
  /** Uid of the server's session: 64 hex digits. */
  session: z.string().regex(/^[0-9a-f]{64}$/),
  user: text(256),
  /** The user's address, for the device's own log. */
  remote: text(64),
  ...traced,
})
export type AuthOpen = z.infer<typeof AuthOpen>

/** Gateway to agent on an `auth` stream: starts an attempt. */
export const AuthCredential = z.discriminatedUnion('method', [
  z.object({ method: z.literal('password'), password: text(1_024) }),
  /** The device asks its own questions: it sends `prompt` rounds, each answered by {@link AuthReply}. */
  z.object({ method: z.literal('keyboard-interactive') }),
  /** A login the server has already authorized; `statement` is a compact JWS by the statement key (EdDSA). */
  z.object({ method: z.literal('statement'), statement: text(8_192) }),
])
export type AuthCredential = z.infer<typeof AuthCredential>

/** One round of prompts (RFC 4256 section 3.2). Without prompts it only displays a message. */
export const AuthRound = z.object({
  name: text(256),
  instruction: text(4_096),
  prompts: z.array(z.object({ text: text(1_024), echo: z.boolean() })).max(16),
})
export type AuthRound = z.infer<typeof AuthRound>

/** Gateway to agent: the user's answers to a round, one per prompt. */
export const AuthReply = z.object({ answers: z.array(text(4_096)).max(16) })
export type AuthReply = z.infer<typeof AuthReply>

/** Agent to gateway: any number of prompt rounds, then exactly one verdict per credential. */
export const AuthAnswer = z.discriminatedUnion('type', [
  z.object({ type: z.literal('accepted') }),
  AuthRound.extend({ type: z.literal('prompt') }),
  z.object({
    type: z.literal('denied'),
    /** Only for the device's log and the server's audit log; the user sees the same text for all of them. */
    reason: z.enum(['credential', 'unknown-user', 'locked', 'expired', 'no-password', 'busy', 'unsupported']),
    /**
     * Message for a user whose credential was right but whose account is refused, such as the text of nologin(5); with
     * `unsupported` for users whom the gateway knows.
     * Untrusted text of the device: sanitize before display.
     */
    message: text(4_096).optional(),
  }),
])
export type AuthAnswer = z.infer<typeof AuthAnswer>

const login = { /** Stream id of the accepted `auth` stream. */ login: uint }

export const Pty = WindowSize.extend({
  term: text(1_024),
  /** RFC 4254 section 8 encoded terminal modes, base64. */
  modes: text(8_192),
})
export type Pty = z.infer<typeof Pty>

/** `session`: one process on the device. Lane 1 carries its stderr; with a pty there is none. */
export const SessionOpen = z.object({
  ...login,
  run: z.discriminatedUnion('type', [
    z.object({ type: z.literal('shell') }),
    /** Exact bytes, base64; at most 131,072 bytes, the longest argument with which Linux starts a process. */
    z.object({ type: z.literal('exec'), command: text(174_764) }),
    z.object({ type: z.literal('subsystem'), name: text(128) }),
  ]),
  pty: Pty.optional(),
  /** Variables the client asked to set; the agent keeps only those it allows. */
  env: z.array(z.tuple([text(256), text(4_096)])).max(64),
  /** SSH_CONNECTION's first two fields. */
  client: z.object({ address: text(64), port: uint }),
  /** Ids of this login's `listen` streams exposed to the process as SSH_AUTH_SOCK and DISPLAY. */
  agent: uint.optional(),
  x11: uint.optional(),
  ...traced,
})
export type SessionOpen = z.infer<typeof SessionOpen>

/** Gateway to agent on a `session` stream. */
export const SessionControl = z.discriminatedUnion('type', [
  WindowSize.extend({ type: z.literal('window-change') }),
  z.object({ type: z.literal('signal'), name: text(32) }),
  z.object({ type: z.literal('break'), lengthMs: uint }),
  /** The client reads no more output: the process gets SIGPIPE on its next write. */
  z.object({ type: z.literal('eow') }),
])
export type SessionControl = z.infer<typeof SessionControl>

/**
 * Agent to gateway on a `session` stream: `started` once the process runs (a refusal closes the stream instead), then
 * one of the exit messages, after the last byte of output.
 */
export const SessionEvent = z.discriminatedUnion('type', [
  /** `quiet`: the user has asked the device for a minimal banner (hushlogin). */
  z.object({ type: z.literal('started'), quiet: z.boolean().optional() }),
  z.object({ type: z.literal('exit'), status: uint }),
  z.object({
    type: z.literal('exit-signal'),
    /** Without `SIG`, or with `@` and a domain (RFC 4254 section 6.10). */
    signal: text(32).regex(/^[!-~]+$/),
    coreDumped: z.boolean(),
    /** Untrusted text of the device: sanitize before display. */
    message: text(512),
  }),
])
export type SessionEvent = z.infer<typeof SessionEvent>

/** `dial`: a TCP or unix socket as the device sees it. */
export const DialOpen = z.object({
  ...login,
  target: z.union([
    z.object({ host: text(255), port: z.number().int().min(1).max(65_535) }),
    z.object({ path: text(108) }),
  ]),
})
export type DialOpen = z.infer<typeof DialOpen>

/**
 * `http`: a TCP connection of an HTTP tunnel. It belongs to no login: the server has authorized the tunnel, so neither
 * firewall rules nor the setting `forwarding`, which are about people's SSH sessions, apply. Names are not resolved.
 */
export const HttpOpen = z.object({
  host: z.union([z.ipv4(), z.ipv6()]),
  port: z.number().int().min(1).max(65_535),
})
export type HttpOpen = z.infer<typeof HttpOpen>

/**
 * `engine`, without fields: a connection to the container engine of the device, whose socket its operator has named. It
 * belongs to no login; a device that does not offer its engine refuses it.
 */
export const EngineOpen = z.object({})
export type EngineOpen = z.infer<typeof EngineOpen>

/**
 * Agent to gateway on a `dial`, `http` or `engine` stream, once connected; a failure closes the stream with reason
 * `connect-failed`.
 */
export const DialEvent = z.object({ type: z.literal('connected') })

const bytes = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)

/** A filesystem as `df` counts it: without what is reserved for root. `path` is where it is mounted. */
export const Filesystem = z
  .object({
    path: text(256).regex(/^\/[^\p{Cc}\p{Cf}]*$/u),
    totalBytes: bytes.min(1),
    freeBytes: bytes,
  })
  .refine(({ totalBytes, freeBytes }) => freeBytes <= totalBytes)
export type Filesystem = z.infer<typeof Filesystem>

/**
 * `health`, opened by the gateway without fields: asks for a report of the device. It belongs to no login. A device that does
 * not report refuses it with the reason `refused`; agents that do not know such streams refuse it with `unsupported`.
 */
export const HealthOpen = z.object({})

/** Agent to gateway on a `health` stream, once; the agent closes it then. Fields are only added. */
export const HealthReport = z.object({
  /** Share of the time that all CPUs together were busy since the last report, 0 to 1. */
  cpuBusy: z.number().min(0).max(1),
  cpus: z.number().int().min(1).max(65_536),
  /** Load average of five minutes, of the whole device. */
  load: z.number().min(0).max(1_000_000),
  memory: z
    .object({ totalBytes: bytes.min(1), availableBytes: bytes })
    .refine(({ totalBytes, availableBytes }) => availableBytes <= totalBytes),
  /** The fullest first. */
  filesystems: z.array(Filesystem).max(4),
  uptimeSeconds: z.number().min(0).max(10_000_000_000),
})
export type HealthReport = z.infer<typeof HealthReport>

const port = z.number().int().min(0).max(65_535)

/**
 * `listen`: a socket that the device listens on for a user, until the stream closes. It carries no bytes; each
 * connection is an `accept` stream that the device opens.
 */
export const ListenOpen = z.object({
  ...login,
  at: z.discriminatedUnion('type', [
    /** On the device's loopback addresses. 0: any free port. */
    z.object({ type: z.literal('tcp'), port }),
    /** Created with the user's permissions; must not exist yet. */
    z.object({ type: z.literal('unix'), path: text(108) }),
    /** The user's authentication agent, on a socket that only they can open. */
    z.object({ type: z.literal('agent') }),
    /** An X11 display on loopback, with the cookie that the user's client will require of X programs. */
    z.object({
      type: z.literal('x11'),
      single: z.boolean(),
      protocol: text(256),
      cookie: text(1_024),
      screen: uint,
    }),
  ]),
})
export type ListenOpen = z.infer<typeof ListenOpen>

/** Agent to gateway on a `listen` stream, once; a failure closes the stream instead. `port` is 0 for unix sockets. */
export const ListenEvent = z.object({ type: z.literal('listening'), port })
export type ListenEvent = z.infer<typeof ListenEvent>

/** `accept`, opened by the agent: a connection that arrived at the listener of a `listen` stream. */
export const AcceptOpen = z.object({
  /** Id of the `listen` stream. */
  listen: uint,
  /** Origin of the connection; '' and 0 for unix sockets. */
  origin: z.object({ address: text(64), port }),
})
export type AcceptOpen = z.infer<typeof AcceptOpen>

/** Gateway to agent on an `accept` stream, once the user's client has accepted the connection; bytes follow then. */
export const AcceptEvent = z.object({ type: z.literal('connected') })
