// The conformance board: what a person can do with a client, done against a plain sshd and through Bowline. A row is
// green when it worked on both and gave the same result.

/** One way to the same account of the same device. */
export interface Site {
  readonly name: 'sshd' | 'bowline'
  readonly host: string
  readonly port: number
  /** Name of the account on the device. */
  readonly account: string
  readonly uid: number
  /** What a client has to call the account here. */
  readonly login: string
  readonly password: string
  /** Private key (OpenSSH's format, Ed25519) that gets in. */
  readonly keyFile: string
  /** One more, for clients that read no Ed25519: ECDSA P-256, in PEM. */
  readonly ecdsaKeyFile: string
  /** ssh_config(5) in which this way is called `device`. */
  readonly configFile: string
  /** Home of the account on the device, empty when the row starts. */
  readonly home: string
  /** For the client's own files, empty when the row starts. */
  readonly scratch: string
  /** On the device's side: sends back what it gets, on a loopback port and on a unix socket. */
  readonly echo: { readonly port: number; readonly socket: string }
  /** A plain sshd that trusts the same key, for jumps from the device onward. */
  readonly beyond: { readonly port: number }
}

/** A need of rows whose client is in the small Debian of packages/testkit. */
export const TRIXIE = 'packages/testkit/trixie.sh'

/** What happened, in values that JSON can hold and that do not differ from run to run (ports, pids, names of ttys). */
export type Outcome = unknown

export interface Row {
  /** The program in the person's hands, with its version where the board has several. */
  readonly client: string
  readonly feature: string
  /** Programs of this host that it cannot be run without; {@link TRIXIE} where the client is in there. */
  readonly needs: readonly string[]
  /** @throws {Error} when the feature did not work; a row cannot be green because it failed in the same way twice */
  run(site: Site): Promise<Outcome>
}

/** Rows of one client. */
export function rowsOf(
  client: string,
  needs: readonly string[],
  features: Readonly<Record<string, (site: Site) => Promise<Outcome>>>,
): Row[] {
  return Object.entries(features).map(([feature, run]) => ({ client, feature, needs, run }))
}
