// The columns of the interop board: the tasks for every client, and their verification at both ends.
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { freePort } from '@bowline/testkit/free-port'
import type { Job, JobResult, Login } from '@bowline/testkit/clients/job'
import type { Place } from '@bowline/testkit/place'
import type { Bench, KeyName } from './bench.ts'
import type { Seen, WayIn } from './board-server.ts'

/** A column's task for a client, in one or more connections. */
export type Ask = Pick<Job, 'login' | 'offer' | 'rekeyBytes' | 'task'>

export interface Column {
  readonly id: string
  readonly group: 'sign in' | 'use' | 'key exchange' | 'cipher' | 'MAC'
  wayIn(bench: Bench): WayIn
  asks(bench: Bench, place: Place): Promise<readonly Ask[]>
  /** Throws when either end observed something else. */
  prove(result: JobResult, seen: Seen, bench: Bench): void
  /** Cells run against a server that rekeys after this many bytes. */
  readonly serverRekeyBytes?: number
}

/** The user name under which the cells of a column sign in. */
export function userOf(column: Pick<Column, 'id'>): string {
  return `cell-${column.id.replaceAll(/[^a-z0-9-]/gi, '-')}`
}

const MIB = 1 << 20
const ROUNDS = [{ 'Password:': 'right', 'Colour:': 'green' }, { 'Code:': '246810' }]
const byKey = (bench: Bench, name: KeyName, certified = false): WayIn => ({
  method: 'publickey',
  key: `${bench.key(name)}.pub`,
  certified,
})

/** `echo in` after signing in one way. */
function signIn(
  id: string,
  wayIn: Column['wayIn'],
  login: (bench: Bench, place: Place) => Login,
  seenAs: RegExp,
): Column {
  return {
    id,
    group: 'sign in',
    wayIn,
    asks: async (bench, place) => [{ login: login(bench, place), task: { kind: 'exec', command: 'echo in' } }],
    prove(result, seen) {
      equal(result.stdout, 'in\n', result.stderr)
      equal(result.code, 0)
      match(seen.login, seenAs)
    },
  }
}

function keyColumn(name: KeyName, seenAs: RegExp): Column {
  const login = (bench: Bench, place: Place): Login =>
    name.startsWith('sk-')
      ? { method: 'security-key', key: bench.key(name), provider: bench.provider(place), agent: bench.agent }
      : { method: 'publickey', key: bench.key(name) }
  return signIn(name, (bench) => byKey(bench, name), login, seenAs)
}

/** A use of the connection, authenticated with an Ed25519 key. */
function use(
  id: string,
  asks: (bench: Bench) => Promise<readonly Omit<Ask, 'login'>[]>,
  prove: Column['prove'],
  more: Partial<Column> = {},
): Column {
  return {
    id,
    group: 'use',
    wayIn: (bench) => byKey(bench, 'ed25519'),
    asks: async (bench) =>
      (await asks(bench)).map((ask) => ({ login: { method: 'publickey', key: bench.key('ed25519') }, ...ask })),
    prove,
    ...more,
  }
}

function forward(id: string, kind: 'local' | 'remote' | 'socks', asked: string): Column {
  const asks = async (bench: Bench) => {
    const send = bench.payload(300_000).file
    return [{ task: { kind, listen: await freePort(), to: bench.echoPort, send } }]
  }
  return use(id, asks, (result, seen, bench) => {
    equal(result.sha256, bench.payload(300_000).sha256)
    ok(seen.asked.includes(asked), `the server saw ${seen.asked.join()}`)
  })
}

/** Bytes through `cat`, and what was negotiated for them. */
function negotiated(id: string, group: Column['group'], offer: Ask['offer'], prove: (seen: Seen) => void): Column {
  const asks = async (bench: Bench) => [
    { ...(offer && { offer }), task: { kind: 'exec' as const, command: 'cat', input: bench.payload(300_000).file } },
  ]
  const check = (result: JobResult, seen: Seen, bench: Bench) => {
    equal(result.sha256, bench.payload(300_000).sha256, result.stderr)
    prove(seen)
  }
  return use(id, asks, check, { group })
}

function rekey(id: string, sizes: { client?: number; server?: number }): Column {
  const asks = async (bench: Bench) => [
    {
      ...(sizes.client && { rekeyBytes: sizes.client }),
      task: { kind: 'exec' as const, command: 'cat', input: bench.payload(4 * MIB).file },
    },
  ]
  const check = (result: JobResult, _seen: Seen, bench: Bench) => {
    equal(result.sha256, bench.payload(4 * MIB).sha256, result.stderr.slice(-2_000))
    // The clients' log lines for new keys; OpenSSH and PuTTY also log them for the first keys.
    const changes = result.stderr.match(/SSH2_MSG_NEWKEYS sent|Initialised .* outbound|new keys/gi)?.length ?? 0
    if (changes > 0 || sizes.client) ok(changes >= 3, `${changes} key changes`)
  }
  return use(id, asks, check, sizes.server ? { serverRekeyBytes: sizes.server } : {})
}

const kexColumn = (name: string) => negotiated(name, 'key exchange', { kex: name }, (seen) => equal(seen.kex, name))
const cipherColumn = (name: string) =>
  negotiated(name, 'cipher', { cipher: name }, (seen) => deepEqual(seen.ciphers, [name, name]))
// Offered alone, with a cipher that needs a MAC: without agreement there would be no connection.
const macColumn = (name: string) =>
  negotiated(name, 'MAC', { cipher: 'aes256-ctr', mac: name }, (seen) => equal(seen.ciphers[0], 'aes256-ctr'))

export const COLUMNS: readonly Column[] = [
  signIn(
    'password',
    () => ({ method: 'password', password: 'right' }),
    () => ({ method: 'password', password: 'right' }),
    /^password$/,
  ),
  signIn(
    'keyboard-interactive',
    () => ({ method: 'keyboard-interactive', rounds: ROUNDS }),
    () => ({ method: 'keyboard-interactive', answers: Object.assign({}, ...ROUNDS) }),
    /^keyboard-interactive$/,
  ),
  keyColumn('ed25519', /^ssh-ed25519 ssh-ed25519$/),
  keyColumn('ecdsa-256', /^ecdsa-sha2-nistp256 ecdsa-sha2-nistp256$/),
  keyColumn('ecdsa-384', /^ecdsa-sha2-nistp384 ecdsa-sha2-nistp384$/),
  keyColumn('ecdsa-521', /^ecdsa-sha2-nistp521 ecdsa-sha2-nistp521$/),
  keyColumn('rsa', /^ssh-rsa rsa-sha2-(256|512)$/),
  keyColumn('sk-ed25519', /^sk-ssh-ed25519@openssh\.com /),
  keyColumn('sk-ecdsa', /^sk-ecdsa-sha2-nistp256@openssh\.com /),
  signIn(
    'certificate',
    (bench) => byKey(bench, 'ed25519', true),
    (bench) => ({ method: 'publickey', key: bench.key('ed25519'), certificate: bench.certificate }),
    /^ssh-ed25519 .* certificate$/,
  ),
  use(
    'exec',
    async () => [{ task: { kind: 'exec', command: 'echo out; echo err >&2; exit 7' } }],
    (result) => deepEqual([result.stdout, result.code], ['out\n', 7]),
  ),
  use(
    'pty shell',
    async () => [{ task: { kind: 'shell', lines: 'tty; exit 7\n' } }],
    (result, seen) => {
      match(result.stdout, /\/dev\/pts\/\d+/, result.stderr)
      equal(result.code, 7, result.stderr)
      deepEqual(
        seen.asked.filter((type) => type === 'pty-req' || type === 'shell'),
        ['pty-req', 'shell'],
      )
    },
  ),
  use(
    'sftp',
    async (bench) => {
      const { file } = bench.payload(300_000)
      const copy = bench.folder.file(`copy-${process.hrtime.bigint()}`)
      return [{ task: { kind: 'sftp', local: file, remote: copy, back: `${copy}.back` } }]
    },
    (result, seen, bench) => {
      equal(result.sha256, bench.payload(300_000).sha256, result.stderr)
      ok(seen.asked.includes('subsystem'))
    },
  ),
  forward('-L', 'local', 'direct-tcpip'),
  forward('-R', 'remote', 'tcpip-forward'),
  forward('-D', 'socks', 'direct-tcpip'),
  use(
    'streamlocal',
    async (bench) => {
      const send = bench.payload(300_000).file
      const listen = bench.folder.file(`streamlocal-${process.hrtime.bigint()}`)
      const ask = { to: bench.echoPath, send }
      return [
        { task: { kind: 'local-socket', listen: `${listen}-l`, ...ask } },
        { task: { kind: 'remote-socket', listen: `${listen}-r`, ...ask } },
      ]
    },
    (result, seen, bench) => {
      equal(result.sha256, bench.payload(300_000).sha256)
      ok(seen.asked.some((type) => /streamlocal/.test(type)))
    },
  ),
  use(
    '-A',
    async (bench) => [{ task: { kind: 'agent', command: 'ssh-add -L', agent: bench.agent } }],
    (result, seen) => {
      match(result.stdout, /^ssh-ed25519 AAAA/m, result.stderr)
      ok(seen.asked.includes('auth-agent-req@openssh.com'))
    },
  ),
  use(
    '-X',
    async (bench) => [{ task: { kind: 'x11', command: 'x11', display: bench.display } }],
    (result, seen) => {
      equal(result.stdout, 'X says hello', result.stderr)
      ok(seen.asked.includes('x11-req'))
    },
  ),
  rekey('rekey by client', { client: MIB }),
  rekey('rekey by server', { server: MIB }),
  kexColumn('mlkem768x25519-sha256'),
  kexColumn('curve25519-sha256'),
  kexColumn('curve25519-sha256@libssh.org'),
  cipherColumn('chacha20-poly1305@openssh.com'),
  cipherColumn('aes128-gcm@openssh.com'),
  cipherColumn('aes256-gcm@openssh.com'),
  cipherColumn('aes128-ctr'),
  cipherColumn('aes256-ctr'),
  macColumn('hmac-sha2-256-etm@openssh.com'),
  macColumn('hmac-sha2-512-etm@openssh.com'),
]
