// Debian's Exim as a private process: own configuration and spool, one port of loopback, mails into a folder.
import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ParsedMail, parseMail } from '../../apps/server/src/mails/testing/smtp.ts'
import { selfSignedCertificate } from '../../apps/server/src/platform/network/certificate.ts'
import { freePort } from '@bowline/testkit/free-port'
import { run } from '../support/running.ts'
import { until } from '../support/wait.ts'

/** Account of Debian's package, which Exim delivers as. */
const ACCOUNT = 'Debian-exim'

export interface Exim {
  readonly port: number
  /** PEM file of its certificate. */
  readonly caFile: string
  /** Mails in the folder. */
  mails(): Promise<ParsedMail[]>
  /** Its main log. */
  log(): Promise<string>
  close(): Promise<void>
}

/** Needs root: Exim changes to its own account to deliver. It takes mails for example.com, except to nobody@. */
export async function startExim(): Promise<Exim> {
  const folder = await mkdtemp(join(tmpdir(), 'bowline-exim-'))
  const [spool, mail] = [join(folder, 'spool'), join(folder, 'mail')]
  await chmod(folder, 0o755)
  await mkdir(spool)
  await mkdir(mail)
  const { cert, key } = await selfSignedCertificate(join(folder, 'tls'), ['127.0.0.1'])
  const caFile = join(folder, 'cert.pem')
  await writeFile(caFile, cert)
  await writeFile(join(folder, 'key.pem'), key, { mode: 0o600 })
  const port = await freePort()
  const config = join(folder, 'exim.conf')
  await writeFile(config, configuration(folder, port), { mode: 0o644 })
  execFileSync('chown', ['-R', `${ACCOUNT}:${ACCOUNT}`, spool, mail, join(folder, 'key.pem')])
  const exim = run(['/usr/sbin/exim4', '-C', config, '-bdf'], { cwd: folder })
  const log = () => readFile(join(spool, 'mainlog'), 'utf8').catch(() => '')
  const close = async (): Promise<void> => {
    await exim.end()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await until(`exim listens: ${exim.output()}`, () => answers(port), 15_000)
  } catch (error) {
    await close()
    throw error
  }
  return {
    port,
    caFile,
    log,
    close,
    async mails() {
      const names = await readdir(join(mail, 'new')).catch(() => [])
      return Promise.all(names.map(async (name) => parseMail(await readFile(join(mail, 'new', name)))))
    },
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('data', () => {
      resolve(true)
      socket.end('QUIT\r\n')
    })
    socket.once('error', () => resolve(false))
  })
}

function configuration(folder: string, port: number): string {
  return `primary_hostname = mail.example.com
spool_directory = ${folder}/spool
log_file_path = ${folder}/spool/%slog
pid_file_path = ${folder}/spool/exim.pid
local_interfaces = <; 127.0.0.1
daemon_smtp_ports = ${port}
domainlist local_domains = example.com
acl_smtp_rcpt = check_rcpt
tls_advertise_hosts = *
tls_certificate = ${folder}/cert.pem
tls_privatekey = ${folder}/key.pem
host_lookup =
rfc1413_query_timeout = 0s
keep_environment =

begin acl
check_rcpt:
  deny local_parts = nobody
       message = there is no such person
  accept domains = +local_domains
  deny message = no relay

begin routers
everybody:
  driver = accept
  domains = +local_domains
  transport = folder

begin transports
folder:
  driver = appendfile
  directory = ${folder}/mail
  maildir_format
  envelope_to_add
  return_path_add
  user = ${ACCOUNT}

begin retry
* * F,2h,15m
`
}
