// The rows of the interop board, and the cells a client does not support, with the reason.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { Dropbear } from '@bowline/testkit/clients/dropbear'
import type { Job, JobResult } from '@bowline/testkit/clients/job'
import { OpenSsh } from '@bowline/testkit/clients/openssh'
import type { Program } from '@bowline/testkit/clients/program'
import { runProgram } from '@bowline/testkit/clients/program'
import { Putty } from '@bowline/testkit/clients/putty'
import { runScript } from '@bowline/testkit/clients/scripted'
import type { Script } from '@bowline/testkit/clients/scripted'
import { printedBy, thisMachine, trixie, trixieMissing } from '@bowline/testkit/place'
import type { Place } from '@bowline/testkit/place'

export interface Client {
  readonly id: string
  readonly place: Place
  /** As reported by the client; empty when it is not installed. */
  version(): string
  /** Columns that it cannot fill, with the reason. */
  readonly unsupported: Readonly<Record<string, string>>
  /** Runs jobs; returns a promise per job id. */
  run(jobs: readonly Job[], folder: string): (id: string) => Promise<JobResult>
}

/** The reason why a client cannot run on this machine; undefined when it can. */
export function missing(client: Client): string | undefined {
  if (client.place === trixie) {
    const reason = trixieMissing()
    if (reason) return reason
  }
  return client.version() === '' ? `not installed on ${client.place.name}` : undefined
}

/** One process per job, started when its result is asked for. */
const eachAlone =
  (make: (folder: string) => Program): Client['run'] =>
  (jobs, folder) => {
    const program = make(folder)
    return async (id) => {
      const job = jobs.find((job) => job.id === id)
      if (!job) throw new Error(`no job ${id}`)
      return runProgram(program, job)
    }
  }

/** One process for all jobs. */
const allTogether =
  (script: Script): Client['run'] =>
  (jobs) => {
    const outcomes = runScript(script, jobs)
    return async (id) => {
      const outcome = (await outcomes).get(id)
      if (!outcome) throw new Error(`the script says nothing about ${id}`)
      if ('error' in outcome) throw new Error(outcome.error)
      return outcome.result
    }
  }

const testkitScript = (name: string) => join(import.meta.dirname, '../../../testkit/src/clients', name)
const python = (name: string): Script => ({
  place: trixie,
  interpreter: ['python3', '-c'],
  path: testkitScript(name),
})

/** Extracts the version number from a program's output. */
const versionIn = (place: Place, file: string, args: readonly string[]) =>
  /\d+(\.\d+)+\w*/.exec(printedBy(place, file, args))?.[0] ?? ''
const pythonVersion = (module: string) =>
  printedBy(trixie, 'python3', ['-c', `import ${module}; print(${module}.__version__)`])

const NO_FIDO = "offers no FIDO keys, not even an agent's"
const PUTTY = {
  streamlocal: 'forwards TCP only',
  'curve25519-sha256@libssh.org': 'is chosen by family, and the plain name comes first',
  'aes256-gcm@openssh.com': 'the key size cannot be chosen; 128 comes first',
  'aes128-ctr': 'the key size cannot be chosen; 256 comes first',
  'hmac-sha2-512-etm@openssh.com': 'the MAC cannot be chosen; hmac-sha2-256 comes first',
}

export const CLIENTS: readonly Client[] = [
  {
    id: 'OpenSSH 9.2',
    place: thisMachine,
    version: () => versionIn(thisMachine, 'ssh', ['-V']),
    unsupported: { 'mlkem768x25519-sha256': 'came with OpenSSH 9.9' },
    run: eachAlone((folder) => new OpenSsh(thisMachine, folder)),
  },
  {
    id: 'OpenSSH 10.0',
    place: trixie,
    version: () => versionIn(trixie, 'ssh', ['-V']),
    unsupported: {},
    run: eachAlone((folder) => new OpenSsh(trixie, folder)),
  },
  {
    id: 'PuTTY 0.78',
    place: thisMachine,
    version: () => versionIn(thisMachine, 'plink', ['-V']),
    unsupported: { ...PUTTY, 'mlkem768x25519-sha256': 'came with PuTTY 0.83' },
    run: eachAlone((folder) => new Putty(thisMachine, folder)),
  },
  {
    id: 'PuTTY 0.83',
    place: trixie,
    version: () => versionIn(trixie, 'plink', ['-V']),
    unsupported: PUTTY,
    run: eachAlone((folder) => new Putty(trixie, folder)),
  },
  {
    id: 'dbclient 2025',
    place: trixie,
    version: () => versionIn(trixie, 'dbclient', ['-V']),
    unsupported: {
      'sk-ed25519': NO_FIDO,
      'sk-ecdsa': NO_FIDO,
      certificate: 'knows no certificates',
      '-D': 'has no SOCKS proxy',
      streamlocal: 'forwards TCP only',
      '-X': 'X11 is in its server only',
      'rekey by client': 'the amount is fixed when it is built',
      'curve25519-sha256': 'the method cannot be chosen; the post-quantum one comes first',
      'curve25519-sha256@libssh.org': 'the method cannot be chosen; the post-quantum one comes first',
      'aes128-gcm@openssh.com': 'not in the usual build',
      'aes256-gcm@openssh.com': 'not in the usual build',
      'aes128-ctr': 'knows no encrypt-then-MAC',
      'aes256-ctr': 'knows no encrypt-then-MAC',
      'hmac-sha2-256-etm@openssh.com': 'knows no encrypt-then-MAC',
      'hmac-sha2-512-etm@openssh.com': 'knows no encrypt-then-MAC',
    },
    run: eachAlone(() => new Dropbear(trixie)),
  },
  {
    id: 'paramiko 3.5',
    place: trixie,
    version: () => pythonVersion('paramiko'),
    unsupported: {
      'sk-ed25519': 'does not know the key type, not even in an agent',
      'sk-ecdsa': 'does not know the key type, not even in an agent',
      '-D': 'has no SOCKS proxy',
      streamlocal: 'forwards TCP only',
      'mlkem768x25519-sha256': 'has no post-quantum key exchange',
      'curve25519-sha256': 'knows it by its @libssh.org name only',
      'chacha20-poly1305@openssh.com': 'does not know the cipher',
    },
    run: allTogether(python('paramiko_client.py')),
  },
  {
    id: 'asyncssh 2.20',
    place: trixie,
    version: () => pythonVersion('asyncssh'),
    unsupported: { 'mlkem768x25519-sha256': 'needs liboqs, which Debian does not have' },
    run: allTogether(python('asyncssh_client.py')),
  },
  {
    id: 'ssh2 1.17',
    place: thisMachine,
    version: () => ssh2Version(),
    unsupported: {
      'sk-ed25519': 'does not know the key type',
      'sk-ecdsa': 'does not know the key type',
      certificate: 'offers no certificates',
      '-D': 'has no SOCKS proxy',
      'rekey by client': 'only its server can ask for new keys',
      'mlkem768x25519-sha256': 'has no post-quantum key exchange',
    },
    run: allTogether({
      place: thisMachine,
      interpreter: [process.execPath, '--input-type=module', '-e'],
      path: join(import.meta.dirname, 'ssh2-client.js'),
    }),
  },
]

function ssh2Version(): string {
  const print = "process.stdout.write(require('ssh2/package.json').version)"
  const result = spawnSync(process.execPath, ['-e', print], { encoding: 'utf8' })
  return result.status === 0 ? result.stdout : ''
}
