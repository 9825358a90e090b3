// The conformance board: a client feature, run against a plain sshd and through Bowline. A row is green when it worked
// on both with the same result.

/** One of the two routes to the same account of the same device. */
export interface Site {
  readonly name: 'sshd' | 'bowline'
  readonly host: string
  readonly port: number
  /** Account name on the device. */
  readonly account: string
  readonly uid: number
  /** User name for clients of this site. */
  readonly login: string
  readonly password: string
  /** Accepted private key (OpenSSH's format, Ed25519). */
  readonly keyFile: string
  /** Another accepted key, for clients that read no Ed25519: ECDSA P-256, in PEM. */
  readonly ecdsaKeyFile: string
  /** ssh_config(5) that defines this site as host `device`. */
  readonly configFile: string
  /** Home of the account on the device, empty when the row starts. */
  readonly home: string
  /** Scratch folder for the client, empty when the row starts. */
  readonly scratch: string
  /** Echo server on the device's side, on a loopback port and on a unix socket. */
  readonly echo: { readonly port: number; readonly socket: string }
  /** A plain sshd that accepts the same key, for jumps from the device. */
  readonly beyond: { readonly port: number }
}

/** Requirement of rows whose client is in the small Debian of packages/testkit. */
export const TRIXIE = 'packages/testkit/trixie.sh'

/** The result, as JSON values that are stable between runs (no ports, pids, names of ttys). */
export type Outcome = unknown

export interface Row {
  /** The client program, with its version where the board has several. */
  readonly client: string
  readonly feature: string
  /** Required programs of this host; {@link TRIXIE} where the client is in there. */
  readonly needs: readonly string[]
  /** @throws {Error} when the feature did not work; a row must not be green because it failed in the same way twice */
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
