// One task for an ssh client, described independently of the client: a program with a command line, or a script around
// a library that reads jobs as JSON (`scripted.ts`).

export type Login =
  | { readonly method: 'password'; readonly password: string }
  | { readonly method: 'keyboard-interactive'; readonly answers: Readonly<Record<string, string>> }
  /** Private key files as ssh-keygen writes them; `certificate` is the file of an OpenSSH user certificate. */
  | { readonly method: 'publickey'; readonly key: string; readonly certificate?: string }
  /**
   * A FIDO key: `provider` is the software authenticator's library, `agent` the socket of an agent that holds the key.
   */
  | { readonly method: 'security-key'; readonly key: string; readonly provider: string; readonly agent: string }

export type Task =
  /** `input`: a file for the command's standard input. */
  | { readonly kind: 'exec'; readonly command: string; readonly input?: string }
  /** A shell on a pseudo-terminal with `lines` as its input. */
  | { readonly kind: 'shell'; readonly lines: string }
  /** Uploads `local` to `remote`, and downloads it as `back`. */
  | { readonly kind: 'sftp'; readonly local: string; readonly remote: string; readonly back: string }
  /** Forwards: the contents of the file `send` are sent to `listen` and echoed back from `to`. */
  | { readonly kind: 'local' | 'remote' | 'socks'; readonly listen: number; readonly to: number; readonly send: string }
  | {
      readonly kind: 'local-socket' | 'remote-socket'
      readonly listen: string
      readonly to: string
      readonly send: string
    }
  /** Runs `command` with the agent at `agent` forwarded. */
  | { readonly kind: 'agent'; readonly command: string; readonly agent: string }
  /** Runs `command` with the X server at TCP port 6000 + `display` forwarded. */
  | { readonly kind: 'x11'; readonly command: string; readonly display: number }

export interface Job {
  readonly id: string
  readonly port: number
  readonly user: string
  /** Fingerprint of the server's key, `SHA256:…`. */
  readonly fingerprint: string
  readonly login: Login
  /** Restricts the client's offer, by SSH names. */
  readonly offer?: { readonly kex?: string; readonly cipher?: string; readonly mac?: string }
  /** The client rekeys after this many bytes. */
  readonly rekeyBytes?: number
  readonly task: Task
}

export interface JobResult {
  /** Exit status; null when a signal ended it. */
  readonly code: number | null
  /** The first 4,000 characters of the output. */
  readonly stdout: string
  readonly stderr: string
  /** Hash of the output, of the bytes echoed through the forward, or of the downloaded file. */
  readonly sha256: string
}
