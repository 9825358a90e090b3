// The public API of the package: the types between the SSH transport and the embedding program's decisions. Every
// request a connection makes is put to a handler; a missing handler, a throw or a rejected promise means "no", and
// nothing a handler does can crash the process. Nothing here knows about Bowline.

import type { Clock } from '@bowline/base/clock'
import type { Compatibility } from './transport/compatibility.ts'

export type { Compatibility }

/** The peer's address as the embedding program knows it (for example from a PROXY header). */
export interface PeerAddress {
  /** IPv4 or IPv6 literal, without brackets or zone. */
  readonly address: string
  readonly port: number
}

/** The stable reasons for which the package itself ends a connection or channel, by who caused it. */
export interface CloseReasons {
  /**
   * The client ended it: SSH_MSG_DISCONNECT (RFC 4253 section 11.1), CHANNEL_CLOSE (RFC 4254 section 5.3), its socket.
   */
  readonly peer: 'disconnect' | 'channel-closed' | 'socket-closed' | 'socket-error'
  /** This side ended it. */
  readonly local: 'authentication-refused' | 'channel-closed' | 'host-key-refused' | 'internal-error'
  /** The peer broke a rule of the protocol. */
  readonly protocol:
    | 'bad-ident'
    | 'bad-key-exchange'
    | 'bad-mac'
    | 'bad-packet-length'
    | 'bad-padding'
    | 'data-after-eof'
    | 'data-too-large'
    | 'malformed-packet'
    | 'no-common-algorithm'
    | 'packet-size'
    | 'unexpected-message'
    | 'unknown-channel'
    | 'unknown-service'
    | 'user-changed'
    | 'window-overflow'
    | 'window-overrun'
  /** The peer exceeded one of {@link SshLimits}. */
  readonly limit:
    | 'auth-attempts'
    | 'auth-pipeline'
    | 'too-many-rekeys'
    | 'pending-requests'
    | 'queue-overflow'
    | 'rekey-pending'
  /** The peer took too long. */
  readonly timeout: 'ident-timeout' | 'keepalive' | 'kex-timeout' | 'login-grace' | 'rekey-timeout'
}

/** A reason chosen by the embedding program. */
type EmbedderReason = string & {}

/**
 * Why a connection or channel ended. `by` says who caused it; `reason` is stable and machine-readable: one of
 * {@link CloseReasons}, or the one passed to {@link SshConnection.disconnect}.
 */
export type CloseCause = {
  [By in keyof CloseReasons]: {
    readonly by: By
    readonly reason: CloseReasons[By] | EmbedderReason
    /** One sentence for logs and users; never holds credentials or packet contents. */
    readonly message: string
  }
}[keyof CloseReasons]

/** A user's public key as offered, already parsed and checked against the accepted types and sizes. */
export interface OfferedKey {
  /** Key type of the blob: `ssh-ed25519`, `ecdsa-sha2-nistp256`, `ssh-rsa`, `sk-ssh-ed25519@openssh.com`, … */
  readonly type: string
  /** Signature algorithm named in the request, for example `rsa-sha2-512`. */
  readonly algorithm: string
  /** SSH wire encoding of the public key (RFC 4253 section 6.6). For a certificate: of the certified key. */
  readonly blob: Uint8Array
  /**
   * True when the key is proven and its authenticator states that it detected a touch and verified its user, by PIN or
   * biometrics (OpenSSH PROTOCOL.u2f). A key in a file asserts nothing of the kind.
   */
  readonly userVerified?: boolean
  /** Set when the offered key is an OpenSSH user certificate; its signature by `caBlob` has been verified. */
  readonly certificate?: UserCertificate
}

/** An OpenSSH user certificate (PROTOCOL.certkeys). Validity, CA signature and known critical options are verified. */
export interface UserCertificate {
  readonly keyId: string
  readonly serial: bigint
  /** User names the certificate is for. The handler decides; an empty list names nobody and must be refused. */
  readonly principals: readonly string[]
  readonly caBlob: Uint8Array
  /** Seconds since the epoch. */
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly forceCommand?: string
  readonly sourceAddress?: string
  readonly extensions: readonly string[]
}

/** One question of a keyboard-interactive round (RFC 4256 section 3.2). */
export interface Prompt {
  readonly text: string
  readonly echo: boolean
}

/** One authentication request (RFC 4252), after everything that can be checked without the embedding program. */
export type AuthAttempt =
  | { readonly method: 'none'; readonly user: string }
  | { readonly method: 'password'; readonly user: string; readonly password: string }
  | {
      readonly method: 'publickey'
      readonly user: string
      readonly key: OfferedKey
      /**
       * False: the client only queries whether the key is acceptable (no signature; must have no side effects).
       * True: the signature over this connection's session id was verified with the key.
       */
      readonly proven: boolean
    }
  | {
      readonly method: 'keyboard-interactive'
      readonly user: string
      /** Sends one round of prompts; resolves with one answer per prompt. May be called several times. */
      prompt(name: string, instruction: string, prompts: readonly Prompt[]): Promise<readonly string[]>
    }

/** The answer to an authentication request (RFC 4252 section 5.1). */
export type AuthDecision =
  | { readonly result: 'accept' }
  /**
   * `methods` may continue (default: all that the options allow). `message` is shown to the user as a banner (RFC 4252
   * section 5.4) before the refusal, once per connection however often it is returned.
   */
  | { readonly result: 'reject'; readonly methods?: readonly AuthMethod[]; readonly message?: string }
  /** The factor was right but more is needed: RFC 4252 partial success. */
  | { readonly result: 'partial'; readonly methods: readonly AuthMethod[] }
  /** End the connection now. */
  | { readonly result: 'disconnect'; readonly message: string }

/** An accepted factor and its restrictions: a certificate's `forceCommand`, `sourceAddress` and extensions. */
export interface AcceptedFactor {
  readonly method: AuthAttempt['method']
  /** The proven key, for `publickey`. */
  readonly key?: OfferedKey
}

/** Method names of RFC 4252 sections 7 and 8 and RFC 4256. */
export type AuthMethod = 'publickey' | 'password' | 'keyboard-interactive'

/** A channel the client wants to open (RFC 4254 sections 6.1 and 7.2; PROTOCOL section 2.4 of OpenSSH). */
export type ChannelOpen =
  | { readonly type: 'session' }
  | {
      readonly type: 'direct-tcpip'
      readonly host: string
      readonly port: number
      readonly originHost: string
      readonly originPort: number
    }
  | { readonly type: 'direct-streamlocal@openssh.com'; readonly path: string }

/** RFC 4254 section 5.1 reason codes. */
export const OPEN_PROHIBITED = 1
export const OPEN_CONNECT_FAILED = 2
export const OPEN_UNKNOWN_TYPE = 3
export const OPEN_RESOURCE_SHORTAGE = 4

/** The answer to SSH_MSG_CHANNEL_OPEN (RFC 4254 section 5.1). */
export type ChannelDecision =
  /** `attach` is called synchronously once the confirmation is queued; data follows only after it has returned. */
  | { readonly accept: true; attach(channel: SshChannel): ChannelHandler }
  | { readonly accept: false; readonly code: number; readonly message: string }

/** `pty-req` (RFC 4254 section 6.2). */
export interface PtyRequest {
  readonly type: 'pty-req'
  readonly term: string
  readonly columns: number
  readonly rows: number
  /** Pixels; 0 when unknown. */
  readonly width: number
  readonly height: number
  /** Encoded terminal modes exactly as received (RFC 4254 section 8). */
  readonly modes: Uint8Array
}

/** `window-change` (RFC 4254 section 6.7). */
export interface WindowChange {
  readonly type: 'window-change'
  readonly columns: number
  readonly rows: number
  readonly width: number
  readonly height: number
}

/** A request on a session channel (RFC 4254 section 6). */
export type SessionRequest =
  | PtyRequest
  | WindowChange
  | { readonly type: 'env'; readonly name: string; readonly value: string }
  | { readonly type: 'shell' }
  /** The command's exact bytes: it need not be UTF-8. */
  | { readonly type: 'exec'; readonly command: Uint8Array }
  | { readonly type: 'subsystem'; readonly name: string }
  /** Signal name without `SIG`, for example `TERM`. */
  | { readonly type: 'signal'; readonly name: string }
  /** RFC 4335; milliseconds. */
  | { readonly type: 'break'; readonly lengthMs: number }
  | { readonly type: 'auth-agent-req@openssh.com' }
  | {
      readonly type: 'x11-req'
      readonly single: boolean
      readonly protocol: string
      readonly cookie: string
      readonly screen: number
    }
  /** The client reads no more output (OpenSSH PROTOCOL section 2.1). */
  | { readonly type: 'eow@openssh.com' }

/** The embedding program's end of a channel. Callbacks run synchronously on the connection's thread; none may block. */
export interface ChannelHandler {
  /**
   * Bytes from the client (RFC 4254 section 5.2). `extended` is 0 for ordinary data, else the data type code. The
   * callee owns the memory. The client may send more only after {@link SshChannel.consumed} has been called.
   */
  data(bytes: Uint8Array, extended: number): void
  /**
   * After `write` returned false: the channel has sent some of what is queued ({@link SshChannel.queuedBytes} says what is
   * left), or can take more output (RFC 4254 section 5.2: window).
   */
  drain?(): void
  /** The client will send no more data (RFC 4254 section 5.3). Output may continue. */
  eof?(): void
  /** A channel request (RFC 4254 section 5.4); replies keep the order of the requests. Absent or false: refused. */
  request?(request: SessionRequest): boolean | Promise<boolean>
  /** Called exactly once, last (RFC 4254 section 5.3). */
  closed(cause: CloseCause): void
}

/** A channel as the embedding program sees it. All methods are safe (and do nothing) after it has closed. */
export interface SshChannel {
  /** Our channel number; unique on the connection while the channel is open. */
  readonly id: number
  readonly type: string
  /** The connection that carries it. */
  readonly connection: { readonly peer: PeerAddress }
  /**
   * Queues output (RFC 4254 section 5.2). The bytes are copied: the caller may reuse their memory on return.
   * @param extended 0 for data, 1 for stderr (RFC 4254 section 5.2)
   * @returns false when the caller should stop until `drain`: the window is used up or the socket is backed up
   */
  write(bytes: Uint8Array, extended?: number): boolean
  /** Bytes accepted by `write` and not yet sent. */
  readonly queuedBytes: number
  /** Returns `count` bytes of window to the client (RFC 4254 section 5.2): they have been processed. */
  consumed(count: number): void
  /**
   * Releases the memory of bytes passed to `data` that are no longer referenced; they are empty afterwards. Optional:
   * lets the next packet reuse the memory instead of allocating.
   */
  free?(bytes: Uint8Array): void
  /** No more output follows (RFC 4254 section 5.3); sent after everything queued. */
  eof(): void
  /** RFC 4254 section 6.10; sent after everything queued. Only the first exit of a channel is sent. */
  exitStatus(status: number): void
  /** RFC 4254 section 6.10; sent after everything queued. Signal name without `SIG`. */
  exitSignal(name: string, coreDumped: boolean, message: string): void
  /** Sends what is queued (unless the peer is gone), then closes (RFC 4254 section 5.3). */
  close(): void
}

/** A request to listen for the client (RFC 4254 section 7.1; OpenSSH PROTOCOL section 2.4). */
export interface ListenRequest {
  readonly type: 'tcpip-forward' | 'streamlocal-forward@openssh.com'
  /** Bind address (may be empty) or socket path. */
  readonly address: string
  /** 0: any free port. Unused for socket paths. */
  readonly port: number
}

/** One accepted connection. */
export interface SshConnection {
  /** Session identifier: the first exchange hash as 64 lower-case hex digits (RFC 4253 section 7.2); '' until known. */
  readonly sessionId: string
  readonly peer: PeerAddress
  /** The client's identification string without CR LF (RFC 4253 section 4.2); '' until received. */
  readonly clientIdent: string
  /** The authenticated user name (RFC 4252 section 5); undefined until then. */
  readonly user: string | undefined
  /**
   * Every factor accepted so far, in order (RFC 4252 section 5.1: partial success). The restrictions of each hold for
   * the whole connection, whichever came last.
   */
  readonly factors: readonly AcceptedFactor[]
  /** The negotiated algorithms (RFC 4253 section 7.1); undefined until then. */
  readonly algorithms: { readonly kex: string; readonly cipherIn: string; readonly cipherOut: string } | undefined
  /** Bytes on the wire. */
  readonly bytesIn: number
  readonly bytesOut: number
  /** Bytes of all channels that are held for a side that does not take them: the client, or whatever its input is for. */
  readonly heldBytes: number
  /**
   * Opens a channel towards the client (RFC 4254 sections 5.1, 6.3.2 and 7.2; OpenSSH PROTOCOL):
   * `forwarded-tcpip`, `forwarded-streamlocal@openssh.com`, `auth-agent@openssh.com` or `x11`.
   * @param data the type's extra fields, already in wire encoding
   * @throws {Error} when the client refuses or the connection ends
   */
  openChannel(type: string, data: Uint8Array, attach: (channel: SshChannel) => ChannelHandler): Promise<SshChannel>
  /**
   * Sends the user a message that is not a reply, such as why a forward was refused: SSH_MSG_DEBUG (RFC 4253 section
   * 11.3), which clients show in verbose mode.
   */
  explain(message: string): void
  /** Shows text while the client signs in (RFC 4252 section 5.4: banner); ignored afterwards. Some clients show it late. */
  announce(message: string): void
  /** Gives the client at least this long, in milliseconds, to sign in: what it waits for takes time. */
  allowLogin(ms: number): void
  /** Ends the connection (RFC 4253 section 11.1) after the queue is sent (at most 2 s); most clients show `message`. */
  disconnect(cause: CloseCause): void
}

/** The decisions of the embedding program. */
export interface ConnectionHandler {
  /**
   * Text for SSH_MSG_USERAUTH_BANNER (RFC 4252 section 5.4), requested once per user name before the first decision.
   */
  banner?(connection: SshConnection, user: string): Promise<string | undefined> | string | undefined
  /** Decides one authentication request (RFC 4252 section 5). */
  authenticate(connection: SshConnection, attempt: AuthAttempt): Promise<AuthDecision>
  /** Called once, before the success message is sent (RFC 4252 section 5.1). */
  authenticated?(connection: SshConnection): void
  /** Decides SSH_MSG_CHANNEL_OPEN (RFC 4254 section 5.1). */
  open(connection: SshConnection, request: ChannelOpen): Promise<ChannelDecision> | ChannelDecision
  /**
   * RFC 4254 section 7.1. Resolves with the bound port (0 for socket paths) or undefined to refuse. Absent: refused.
   */
  listen?(connection: SshConnection, request: ListenRequest): Promise<number | undefined>
  /**
   * `cancel-tcpip-forward` and its variants (RFC 4254 section 7.1). Resolves with whether there was such a listener.
   */
  unlisten?(connection: SshConnection, request: ListenRequest): Promise<boolean>
  /** Called exactly once per connection, last, even if the handshake never completed. */
  closed(connection: SshConnection, cause: CloseCause): void
}

/**
 * Limits with safe defaults (bytes, milliseconds, counts). A peer that exceeds one is disconnected with its cause,
 * except: `channels` and `minPacketSize` refuse the channel, `channelOpensPerSecond` delays it, `envCount`, `envBytes`,
 * `ptyModesBytes`, `termBytes` and `execBytes` refuse the request; the rest of the connection is unaffected.
 */
export interface SshLimits {
  identMs: number
  kexMs: number
  loginGraceMs: number
  /** Failed attempts; a public-key query counts one half. */
  authAttempts: number
  /** Concurrently open channels, opened by either side. */
  channels: number
  /** Opens beyond this rate are delayed. */
  channelOpensPerSecond: number
  envCount: number
  envBytes: number
  ptyModesBytes: number
  /** Length of the terminal name. */
  termBytes: number
  execBytes: number
  /** A peer's `maximum packet size` below this is refused. */
  minPacketSize: number
  /** Initial receive window per channel, and the maximum it grows to for bulk transfers. */
  windowBytes: number
  windowMaxBytes: number
  /**
   * Watermarks of bytes waiting for the socket: above the first, channels stop sending (bytes in the socket can no
   * longer be reordered between channels) and `write` returns false. Above the second, in the socket or in one channel,
   * the connection is dropped.
   */
  queueHighBytes: number
  queueMaxBytes: number
  rekeyPendingBytes: number
  rekeyMs: number
  rekeyBytes: number
  rekeyIntervalMs: number
  /** Rekeys happen early by a random share of their limits up to this, so that connections do not rekey in lockstep. */
  rekeyJitter: number
  keepaliveMs: number
  keepaliveMisses: number
  /** Unanswered global or channel requests that want a reply. */
  pendingRequests: number
}

export const DEFAULT_LIMITS: Readonly<SshLimits> = {
  identMs: 5_000,
  kexMs: 10_000,
  loginGraceMs: 60_000,
  authAttempts: 6,
  channels: 1_024,
  channelOpensPerSecond: 500,
  envCount: 64,
  envBytes: 4_096,
  ptyModesBytes: 4_096,
  termBytes: 1_024,
  // Linux cannot start a process with a longer argument (MAX_ARG_STRLEN).
  execBytes: 131_072,
  minPacketSize: 256,
  windowBytes: 1 << 20,
  windowMaxBytes: 4 << 20,
  queueHighBytes: 1 << 20,
  queueMaxBytes: 8 << 20,
  rekeyPendingBytes: 4 << 20,
  rekeyMs: 30_000,
  rekeyBytes: 1 << 30,
  rekeyIntervalMs: 3_600_000,
  rekeyJitter: 0.1,
  keepaliveMs: 15_000,
  keepaliveMisses: 3,
  pendingRequests: 2_048,
}

export interface SshServerOptions {
  /** PKCS#8 PEM private keys; the first is the preferred host key. At least an Ed25519 one. */
  readonly hostKeys: readonly string[]
  /**
   * Which clients are additionally offered, last, the algorithms that older clients need: `ecdh-sha2-nistp256` (RFC
   * 5656), `diffie-hellman-group14-sha256` (RFC 8268; some milliseconds of CPU per connection), `hmac-sha2-256` and
   * `hmac-sha2-512` (RFC 6668) with counter mode, and `olderHostKeys`. Never SHA-1 or CBC. `auto`: clients whose
   * identification string is known to need them. Default: `modern`, none.
   */
  readonly compatibility?: Compatibility
  /** PKCS#8 PEM private keys for those clients, if they do not support Ed25519. Never announced. Default: none. */
  readonly olderHostKeys?: readonly string[]
  /** Software part of the identification string (`SSH-2.0-<software>`), without spaces. */
  readonly software: string
  readonly methods: readonly AuthMethod[]
  readonly limits?: Partial<SshLimits>
  /** Certificate authorities (wire-encoded public keys) whose user certificates are accepted. Default: none. */
  readonly userCertificateAuthorities?: readonly Uint8Array[]
  /** Time source, replaced in tests. Default: the system clock. */
  readonly clock?: Clock
}
