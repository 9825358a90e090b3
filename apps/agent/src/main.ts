// The device agent's program. `--single-user` serves only the agent's own user even as root; `hash-password` prints the
// hash for that mode; `install`, `uninstall` and `status` manage the service. Settings come from the environment.
import { text } from 'node:stream/consumers'
import { ConfigError } from '@bowline/contract/config'
import { LIMITS } from '@bowline/contract/limits'
import { foregroundClock } from '@bowline/base/clock'
import packageJson from '../package.json' with { type: 'json' }
import { Agent, type AgentParts } from './agent.ts'
import { readConfig, type AgentConfig } from './config.ts'
import { describeDevice, deviceHostname, machineIdentity } from './device/identity.ts'
import { DeviceKeyError, loadDeviceKey } from './device/key.ts'
import { StatementKeyFile } from './device/statement-key-file.ts'
import { TenantFile } from './device/tenant-file.ts'
import { hashPassword } from './hash-password.ts'
import { createHealthReports } from './health/health-reports.ts'
import { createLog, type Log } from './log.ts'
import { ownAccount } from './login/account.ts'
import { chkpwdCheck } from './login/chkpwd.ts'
import { hasPam, pamAuthority, pamService } from './login/pam-authority.ts'
import { singleUserAuthority, systemAuthority, type Authority } from './login/passwords.ts'
import { systemCrypt } from './native/crypt.ts'
import { releaseStartPages } from './native/start-pages.ts'
import { ownBundle } from './own-program.ts'
import { isServiceCommand, serviceCommand } from './service/command.ts'
import { statusWriter } from './service/status-file.ts'
import { becomeProgram } from './session/become-program.ts'
import { keepManifest } from './updates/own-release.ts'
import { createUpdates, type Updates } from './updates/updates.ts'

const VERSION = packageJson.version
/** Sessions that were there before an update end after this long; the server keeps them no longer either. */
const HANDED_OVER_LIMIT_MS = LIMITS.agentUpdates.handedOverHours * 3_600_000
const USAGE = `usage: bowline agent [--single-user]
       bowline agent install [--server-address <url>] [--tenant-id <uuid>] [...] | uninstall [--remove-key] | status [--json]
       bowline agent update
       bowline agent hash-password < password | --version | --help`

// The executable of a bundle is run as `bowline agent …`; a script is run without that word.
const words = process.argv.slice(2)
void main(words[0] === 'agent' ? words.slice(1) : words)

async function main(args: readonly string[]): Promise<void> {
  const [word, ...rest] = args
  if (args.at(-1) === '--help' && word !== 'become-user') return void process.stdout.write(`${USAGE}\n`)
  if (isServiceCommand(word)) {
    process.exitCode = serviceCommand(word, rest, process.env)
    return
  }
  if (word === 'become-user' && rest[0] !== undefined) return becomeProgram(rest[0])
  if (word === 'keep-manifest') return keepOwnManifest(rest)
  if (args.length > 1) return fail(USAGE, 2)
  switch (word) {
    case undefined:
    case '--single-user':
      return runAgent(word === '--single-user')
    case 'hash-password':
      return void process.stdout.write(`${await hashPassword((await text(process.stdin)).replace(/\n$/, ''))}\n`)
    case '--version':
      return void process.stdout.write(`${VERSION}\n`)
    default:
      return fail(USAGE, 2)
  }
}

/** Called by the install script: the release of a fetched program counts once its manifest is verified. */
function keepOwnManifest([manifest, signature, sum]: readonly string[]): void {
  const bundle = ownBundle()
  if (bundle === undefined || manifest === undefined || signature === undefined || sum === undefined)
    return fail(USAGE, 2)
  const platform = `linux-${process.arch}`
  try {
    keepManifest({ manifest, signature, sum, platform }, process.env['BOWLINE_UPDATE_KEY'], bundle)
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error), 1)
  }
}

function runAgent(singleUser: boolean): void {
  let agent: Agent
  let log: Log
  let updates: Updates
  try {
    const config = readConfig(process.env, { singleUser, uid: process.geteuid?.() ?? 0 })
    log = createLog(config.logLevel, (line) => process.stderr.write(line), process.stderr.isTTY)
    // The start directory may be removed; sessions change directories and return.
    process.chdir('/')
    updates = createUpdates({
      config,
      log,
      clock: foregroundClock,
      version: VERSION,
      announce: (release) => agent.announceUpdate(release),
      isBusy: () => agent.isBusy,
      handOver: (isDecided) => {
        status = () => {}
        void agent.handOver(isDecided, HANDED_OVER_LIMIT_MS).then(() => {
          agent.close()
          log.info('agent.handed-over')
          setImmediate(() => process.exit(0))
        })
      },
    })
    let status = statusWriter(process.env['RUNTIME_DIRECTORY'], {
      version: VERSION,
      server: config.server.address.authority,
    })
    agent = createAgent(config, log, {
      reachable(state) {
        status(state)
        if (state.linked) updates.linked()
      },
      agentFacts: () => updates.facts(),
      updateOffered: () => void updates.run(),
    })
  } catch (error) {
    if (error instanceof ConfigError) return fail(error.problems.join('\n'), 2)
    if (error instanceof DeviceKeyError) return fail(error.message, 1)
    throw error
  }
  const crash = (error: unknown): void => {
    // The resulting state is unknown: a restart is safer than continuing.
    const stack = error instanceof Error ? error.stack : undefined
    log.error('agent.crashed', { error: String(error), stack })
    process.exit(1)
  }
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
  let stopping = false
  const stop = (): void => {
    if (stopping) process.exit(1)
    stopping = true
    log.info('agent.stopping')
    void agent.drain().then(() => {
      agent.close()
      log.info('agent.stopped')
      setImmediate(() => process.exit(0))
    })
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('SIGUSR2', () => void updates.run())
  agent.start()
}

function createAgent(
  config: AgentConfig,
  log: Log,
  callbacks: Pick<AgentParts, 'reachable' | 'agentFacts' | 'updateOffered'>,
): Agent {
  const key = loadDeviceKey(config.keyFile)
  if (key.made) log.info('agent.key-made', { file: config.keyFile })
  const identity = config.preferredIdentity ?? machineIdentity(key.publicKeyPem)
  const facts = {
    description: describeDevice(VERSION),
    hostname: config.preferredHostname ?? deviceHostname(),
    identity,
    publicKeyPem: key.publicKeyPem,
    installKey: config.installKey,
  }
  const mode = config.singleUserHash === undefined ? 'multi-user' : 'single-user'
  const server = config.server.address.authority
  log.info('agent.started', { version: VERSION, mode, server, identity, hostname: facts.hostname })
  return new Agent({
    server: config.server,
    facts,
    tenant: new TenantFile(`${config.keyFile}.namespace.json`, config.tenantId),
    privateKey: key.privateKey,
    statementKeys: new StatementKeyFile(`${config.keyFile}.statement.json`),
    authority: createAuthority(config),
    pingMs: config.pingMs,
    killOrphans: config.killOrphans,
    permitUserRc: config.permitUserRc,
    engineSocket: config.engineSocket,
    health: config.reportsHealth ? createHealthReports(log) : undefined,
    clock: foregroundClock,
    log,
    ...callbacks,
    onIdle: releaseStartPages,
    random: Math.random,
  })
}

/** @throws {ConfigError} when this system cannot check passwords, or not by the requested method */
function createAuthority({ singleUserHash, pam }: AgentConfig): Authority {
  const service = pam === 'off' || !hasPam() ? undefined : pamService()
  if (service !== undefined) return pamAuthority({ service, strict: pam === 'on' })
  if (pam === 'on')
    throw new ConfigError(['BOWLINE_PAM is on, but there is no libpam, or no service for us in /etc/pam.d.'])
  const crypt = systemCrypt()
  if (singleUserHash !== undefined) {
    if (!crypt) throw new ConfigError(['Single-user mode needs libcrypt (libcrypt.so.1), which is not installed.'])
    return singleUserAuthority(ownAccount(process.env), singleUserHash, crypt)
  }
  if (crypt) return systemAuthority({ crypt }, Date.now)
  const other = chkpwdCheck()
  if (!other) throw new ConfigError(['Passwords cannot be checked: neither libcrypt nor unix_chkpwd is installed.'])
  return systemAuthority({ other }, Date.now)
}

function fail(message: string, status: number): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = status
}
