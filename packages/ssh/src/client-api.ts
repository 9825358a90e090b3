// The public API of the client: one connection to a server whose key is known or judged by the embedding program, which
// dials the socket and relays credentials. Silence, a throw or a rejected promise of a handler means "no".
import type { Clock } from '@bowline/base/clock'
import type { Side } from './transport/role.ts'
import type {
  ChannelDecision,
  ChannelHandler,
  ChannelOpen,
  CloseCause,
  ListenRequest,
  PeerAddress,
  Prompt,
  SessionRequest,
  SshChannel,
  SshLimits,
} from './api.ts'

export interface SshClientOptions {
  /** Software part of our identification string (`SSH-2.0-<software>`), without spaces. */
  readonly software: string
  /**
   * Decides on the server's key, before a byte of ours is encrypted for it. Its signature has been verified.
   * @param blob wire encoding of the public key (RFC 4253 section 6.6)
   */
  acceptsHostKey(blob: Uint8Array): boolean
  /** Types of the keys that the server is known by (`ssh-ed25519`, `ssh-rsa`, …): those are asked for first. */
  readonly hostKeyTypes?: readonly string[]
  /**
   * False: nothing is sent before the server's identification has arrived, for servers that lose what comes earlier.
   * Default: true (RFC 4253 section 4.2).
   */
  readonly speaksFirst?: boolean
  /** `authAttempts`, `loginGraceMs` and the limits of requests of clients have no meaning here. */
  readonly limits?: Partial<SshLimits>
  /** Time source, replaced in tests. Default: the system clock. */
  readonly clock?: Clock
}

/** A private key that signs, wherever it is kept. */
export interface ClientSigner {
  /**
   * Names of the signature algorithm as the request has it, preferred first: `ssh-ed25519`, `rsa-sha2-512`, or that of a
   * certificate.
   */
  readonly algorithms: readonly string[]
  /** Wire encoding of the public key, or of the certificate. */
  readonly blob: Uint8Array
  /** @returns the signature blob of RFC 4253 section 6.6, algorithm name included */
  sign(algorithm: string, message: Uint8Array): Uint8Array | Promise<Uint8Array>
}

/** One round of questions (RFC 4256 section 3.2), as the server wrote it: not to be shown without cleaning. */
export interface PromptRound {
  readonly name: string
  readonly instruction: string
  readonly prompts: readonly Prompt[]
}

export type ClientCredential =
  | { readonly method: 'none' }
  | { readonly method: 'password'; readonly password: string }
  | { readonly method: 'publickey'; readonly signer: ClientSigner }
  | {
      readonly method: 'keyboard-interactive'
      /** One answer per prompt. A rejected promise gives the method up. */
      answer(round: PromptRound): Promise<readonly string[]>
    }

/** The server's answer to a credential (RFC 4252 section 5.1). */
export type AuthOutcome =
  | { readonly result: 'success' }
  | {
      readonly result: 'failure'
      /** Methods that can continue. */
      readonly methods: readonly string[]
      /** The credential was right but more is needed. */
      readonly partial: boolean
      /** The password is right but must be changed, which is not supported here (RFC 4252 section 8). */
      readonly passwordExpired?: true
    }

/** How a program ended (RFC 4254 section 6.10). */
export type ProgramExit =
  | { readonly status: number }
  /** Signal name without `SIG`. */
  | { readonly signal: string; readonly coreDumped: boolean; readonly message: string }

/** A channel that a client has opened, or a server has opened to it. */
export interface ClientChannel extends SshChannel {
  /**
   * Sends a request (RFC 4254 section 6). Requests are answered in order.
   * @returns whether the server granted it; true at once for requests that have no answer (`signal`, `window-change`)
   * @throws {Error} when the channel closes before the answer
   */
  request(request: SessionRequest): Promise<boolean>
}

export interface ClientChannelHandler extends ChannelHandler {
  /** The program has ended. Output may follow. */
  exited?(exit: ProgramExit): void
}

/** A channel the server wants to open (RFC 4254 sections 6.3.2 and 7.2; OpenSSH's PROTOCOL section 2.4). */
export type ServerChannelOpen =
  | {
      readonly type: 'forwarded-tcpip'
      /** Address and port that were connected to. */
      readonly host: string
      readonly port: number
      readonly originHost: string
      readonly originPort: number
    }
  | { readonly type: 'forwarded-streamlocal@openssh.com'; readonly path: string }
  | { readonly type: 'x11'; readonly originHost: string; readonly originPort: number }
  | { readonly type: 'auth-agent@openssh.com' }

/** The peer refused a channel (RFC 4254 section 5.1). The message leaves its text out. */
export class ChannelRefused extends Error {
  override readonly name = 'ChannelRefused'
  readonly code: number
  /** The peer's text: not to be shown without cleaning. */
  readonly description: string

  /** @param code reason code */
  constructor(peer: Side, code: number, description: string) {
    super(`the ${peer} refused the channel (reason code ${code})`)
    this.code = code
    this.description = description
  }
}

/** The decisions of the embedding program. */
export interface ClientHandler {
  /** Text of SSH_MSG_USERAUTH_BANNER (RFC 4252 section 5.4), as the server wrote it. */
  banner?(text: string): void
  /** Decides on a channel of the server. Absent: refused. */
  open?(request: ServerChannelOpen): Promise<ChannelDecision> | ChannelDecision
  /** Called exactly once, last. */
  closed(cause: CloseCause): void
}

/** One connection to a server. */
export interface SshClientConnection {
  /** The server's address as the embedding program knows it. */
  readonly peer: PeerAddress
  /** Resolves when credentials may be sent. @throws {Error} when the connection ends before */
  readonly ready: Promise<void>
  /** The server's identification string without CR LF; '' until received. */
  readonly serverIdent: string
  /** Wire encoding of the accepted host key; undefined until then. */
  readonly hostKey: Uint8Array | undefined
  readonly algorithms: { readonly kex: string; readonly cipherIn: string; readonly cipherOut: string } | undefined
  /** Bytes on the wire. */
  readonly bytesIn: number
  readonly bytesOut: number
  /**
   * Sends one credential (RFC 4252 section 5); one at a time, until one succeeds.
   * @throws {Error} when the connection ends before the answer, or another credential is under way
   */
  authenticate(user: string, credential: ClientCredential): Promise<AuthOutcome>
  /**
   * Opens a channel (RFC 4254 sections 5.1, 6.1 and 7.2).
   * @throws {ChannelRefused} when the server refuses
   * @throws {Error} when the connection ends, or nobody has signed in
   */
  openChannel(open: ChannelOpen, attach: (channel: ClientChannel) => ClientChannelHandler): Promise<ClientChannel>
  /**
   * Asks the server to listen (RFC 4254 section 7.1); connections arrive at `ClientHandler.open`.
   * @returns the bound port (0 for socket paths); undefined when refused
   */
  listen(request: ListenRequest): Promise<number | undefined>
  /** Ends a listener. @returns whether there was one */
  unlisten(request: ListenRequest): Promise<boolean>
  /** Ends the connection (RFC 4253 section 11.1) after what is queued has been sent (at most 2 s). */
  disconnect(cause: CloseCause): void
}
