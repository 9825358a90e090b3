// One thing to do with an ssh client, told so that any client can do it: a program with a command line, or a script
// around a library that reads jobs as JSON (`scripted.ts`).

export type Login =
  | { readonly method: 'password'; readonly password: string }
  | { readonly method: 'keyboard-interactive'; readonly answers: Readonly<Record<string, string>> }
  /** Private key files as ssh-keygen writes them; `certificate` is the file of an OpenSSH user certificate. */
  | { readonly method: 'publickey'; readonly key: string; readonly certificate?: string }
  /** A FIDO key: `provider` is the library that plays the authenticator, `agent` the socket of an agent that has it. */
  | { readonly method: 'security-key'; readonly key: string; readonly provider: string; readonly agent: string }

export type Task =
  /** `input`: a file for the command's standard input. */
  | { readonly kind: 'exec'; readonly command: string; readonly input?: string }
  /** A shell on a pseudo-terminal that is typed `lines`. */
  | { readonly kind: 'shell'; readonly lines: string }
  /** Sends `local` to `remote`, and gets that back as `back`. */
  | { readonly kind: 'sftp'; readonly local: string; readonly remote: string; readonly back: string }
  /** Forwards: the contents of the file `send` go in at `listen` and come back from the echo at `to`. */
  | { readonly kind: 'local' | 'remote' | 'socks'; readonly listen: number; readonly to: number; readonly send: string }
  | {
      readonly kind: 'local-socket' | 'remote-socket'
      readonly listen: string
      readonly to: string
      readonly send: string
    }
  /** Runs `command` with the agent at `agent` lent to it. */
  | { readonly kind: 'agent'; readonly command: string; readonly agent: string }
  /** Runs `command` with the X server at TCP port 6000 + `display` lent to it. */
  | { readonly kind: 'x11'; readonly command: string; readonly display: number }

export interface Job {
  readonly id: string
  readonly port: number
  readonly user: string
  /** Of the server's key, `SHA256:…`. */
  readonly fingerprint: string
  readonly login: Login
  /** Restricts what the client offers, by SSH names. */
  readonly offer?: { readonly kex?: string; readonly cipher?: string; readonly mac?: string }
  /** The client asks for new keys after so many bytes. */
  readonly rekeyBytes?: number
  readonly task: Task
}

export interface JobResult {
  /** Exit status; null when a signal ended it. */
  readonly code: number | null
  /** The first 4,000 characters of the output. */
  readonly stdout: string
  readonly stderr: string
  /** Of the output, of what came back through the forward, or of the file that came back. */
  readonly sha256: string
}
