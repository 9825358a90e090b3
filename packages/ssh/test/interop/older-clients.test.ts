// Clients that lack modern algorithms, or differ in their habits: each signs in and runs a command, or reads a file.
// `.ci/packages` installs them; libssh comes from PyPI, by `.ci/run`.
import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ScratchFolder, run } from '@bowline/testkit/real-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AuthAttempt, AuthDecision } from '../../src/api.ts'
import {
  type ProgramFor,
  type ShellServer,
  ShellChannel,
  shellCommand,
  startShellServer,
} from '../support/shell-server.ts'

const HOST = '127.0.0.1'
const USER = 'user'
const PASSWORD = 'right'
const SYSTEM_PYTHON = '/usr/bin/python3'
const LIBSSH_PYTHON = resolve(import.meta.dirname, '../../../../.cache/libssh/bin/python')
const SFTP_SERVER = '/usr/lib/openssh/sftp-server'

const NET_SSH2 = `use Net::SSH2; my $ssh = Net::SSH2->new;
$ssh->connect($ARGV[0], $ARGV[1]) or die "connect: " . join(" ", $ssh->error);
$ssh->auth_password($ARGV[2], $ARGV[3]) or die "auth";
my $channel = $ssh->channel or die "channel"; $channel->exec($ARGV[4]) or die "exec";
my $text = ""; while (my $read = $channel->read(my $part, 4096)) { $text .= $part } print $text`

const NET_SSH = `host, port, user, password, command = ARGV
how = { port: port.to_i, password: password, verify_host_key: :never, non_interactive: true, config: false,
        auth_methods: ['password'] }
`
const NET_SSH_EXEC = `require 'net/ssh'
${NET_SSH}Net::SSH.start(host, user, **how) { |ssh| print ssh.exec!(command) }`
/** As the gem is when no gem for Ed25519 is installed. */
const NET_SSH_WITHOUT_ED25519 = `require 'net/ssh'
${NET_SSH}how[:host_key] = ['ecdsa-sha2-nistp256', 'rsa-sha2-256']
Net::SSH.start(host, user, **how) { |ssh| print ssh.exec!(command) }`
const NET_SFTP = `require 'net/sftp'
${NET_SSH}Net::SFTP.start(host, user, how) { |sftp| print sftp.download!(command) }`

const CONCH = `import sys
from twisted.internet import reactor, protocol, defer
from twisted.conch.ssh import transport, userauth, connection, channel, common
host, port, user, password, command = sys.argv[1:]
class Transport(transport.SSHClientTransport):
    def verifyHostKey(self, key, fingerprint): return defer.succeed(1)
    def connectionSecure(self): self.requestService(Auth(user.encode(), Connection()))
    def connectionLost(self, reason):
        transport.SSHClientTransport.connectionLost(self, reason)
        if reactor.running: reactor.stop()
class Auth(userauth.SSHUserAuthClient):
    preferredOrder = [b'password']
    def getPassword(self, prompt=None): return defer.succeed(password.encode())
    def getPublicKey(self): return None
class Connection(connection.SSHConnection):
    def serviceStarted(self): self.openChannel(Channel(conn=self))
class Channel(channel.SSHChannel):
    name = b'session'
    def channelOpen(self, data): self.conn.sendRequest(self, 'exec', common.NS(command.encode()), wantReply=1)
    def dataReceived(self, data): sys.stdout.write(data.decode()); sys.stdout.flush()
    def closed(self): self.conn.transport.loseConnection()
class Factory(protocol.ClientFactory):
    protocol = Transport
reactor.connectTCP(host, int(port), Factory())
reactor.run()`

const LIBSSH = `import sys
from ssh import options
from ssh.session import Session
host, port, user, password, command = sys.argv[1:]
session = Session()
session.options_set(options.HOST, host)
session.options_set(options.USER, user)
session.options_set_port(int(port))
session.connect()
`
const LIBSSH_EXEC = `
channel = session.channel_new()
channel.open_session()
channel.request_exec(command)
sys.stdout.write(channel.read(4096)[1].decode())`
const LIBSSH_PASSWORD = `${LIBSSH}session.userauth_password(user, password)${LIBSSH_EXEC}`
/** The answer is set before it is sent: libssh says "info" until the server has decided. */
const LIBSSH_QUESTIONS = `${LIBSSH}session.userauth_kbdint(user, '')
assert session.userauth_kbdint_getnprompts() == 1
session.userauth_kbdint_setanswer(0, password.encode())
while session.userauth_kbdint(user, '') != 0: pass${LIBSSH_EXEC}`

const ERLANG = `main([Host, Port, User, Password, Command]) ->
  logger:set_primary_config(level, error),
  {ok, _} = application:ensure_all_started(ssh),
  {ok, C} = ssh:connect(Host, list_to_integer(Port), [{user, User}, {password, Password}, {user_interaction, false},
    {silently_accept_hosts, true}, {save_accepted_host, false}, {auth_methods, "password"}]),
  {ok, Channel} = ssh_connection:session_channel(C, 10000),
  success = ssh_connection:setenv(C, Channel, "LANG", "C.UTF-8", 5000),
  success = ssh_connection:exec(C, Channel, Command, 5000),
  say().
say() -> receive {ssh_cm, _, {data, _, _, Text}} -> io:put_chars(Text), say(); {ssh_cm, _, {closed, _}} -> ok; _ -> say() end.
`

/** A client, what finds out whether it is installed, and its program: that gets host, port, user, password and command. */
interface OlderClient {
  readonly id: string
  readonly probe: readonly [file: string, ...args: string[]]
  readonly program: readonly [file: string, ...args: string[]]
  /** What is run, and what it prints; default: a command. */
  readonly reads?: 'file'
}

const folder = new ScratchFolder()
const erlang = folder.file('client.escript')
writeFileSync(erlang, `#!/usr/bin/env escript\n${ERLANG}`)
const readme = folder.file('read-me')
writeFileSync(readme, 'said\n')

const CLIENTS: readonly OlderClient[] = [
  { id: 'Perl Net::SSH2 (libssh2)', probe: ['perl', '-MNet::SSH2', '-e', '1'], program: ['perl', '-e', NET_SSH2] },
  { id: 'Ruby net-ssh', probe: ['ruby', '-e', "require 'net/ssh'"], program: ['ruby', '-e', NET_SSH_EXEC] },
  {
    id: 'Ruby net-ssh without Ed25519',
    probe: ['ruby', '-e', "require 'net/ssh'"],
    program: ['ruby', '-e', NET_SSH_WITHOUT_ED25519],
  },
  {
    id: 'Ruby net-sftp',
    probe: ['ruby', '-e', "require 'net/sftp'"],
    program: ['ruby', '-e', NET_SFTP],
    reads: 'file',
  },
  {
    id: 'Twisted Conch',
    probe: [SYSTEM_PYTHON, '-c', 'import twisted.conch.ssh.transport, bcrypt'],
    program: [SYSTEM_PYTHON, '-W', 'ignore', '-c', CONCH],
  },
  {
    id: 'libssh, password',
    probe: [LIBSSH_PYTHON, '-c', 'import ssh'],
    program: [LIBSSH_PYTHON, '-c', LIBSSH_PASSWORD],
  },
  {
    id: 'libssh, keyboard-interactive',
    probe: [LIBSSH_PYTHON, '-c', 'import ssh'],
    program: [LIBSSH_PYTHON, '-c', LIBSSH_QUESTIONS],
  },
  {
    id: 'Erlang/OTP ssh, with an environment',
    probe: ['sh', '-c', 'command -v escript'],
    program: ['escript', erlang],
  },
]

let server: ShellServer
const programFor: ProgramFor = (request) =>
  request.type === 'subsystem' && request.name === 'sftp' ? [SFTP_SERVER] : shellCommand(request)
beforeAll(async () => {
  const { privateKey: olderHostKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  server = await startShellServer(
    {
      compatibility: 'auto',
      olderHostKeys: [olderHostKey],
      methods: ['publickey', 'keyboard-interactive', 'password'],
    },
    {
      authenticate: async (_connection, attempt) => judge(attempt),
      open: () => ({ accept: true, attach: (channel) => new ShellChannel(channel, programFor) }),
    },
  )
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

async function judge(attempt: AuthAttempt): Promise<AuthDecision> {
  const given =
    attempt.method === 'keyboard-interactive'
      ? (await attempt.prompt('', '', [{ text: 'Password: ', echo: false }]))[0]
      : attempt.method === 'password' && attempt.password
  return given === PASSWORD ? { result: 'accept' } : { result: 'reject' }
}

function absence([file, ...args]: OlderClient['probe']): string {
  const isThere = spawnSync(file, args).status === 0
  return isThere || process.env['CI'] === 'true' ? '' : `: not run: ${file} or its library is not installed`
}

for (const { id, probe, program, reads } of CLIENTS) {
  const absent = absence(probe)
  const does = reads === 'file' ? 'reads a file' : 'runs a command'
  test.skipIf(absent)(`${id} signs in and ${does}${absent}`, { timeout: 60_000 }, async () => {
    const [file, ...args] = program
    const what = reads === 'file' ? readme : 'echo said'
    const { stdout, stderr, code } = await run(file, [...args, HOST, String(server.port), USER, PASSWORD, what])
    expect({ code, text: stdout.toString(), stderr }).toMatchObject({ code: 0, text: 'said\n' })
  })
}

const noCurl = absence(['curl', '--version'])
describe.skipIf(noCurl)(`curl${noCurl}`, () => {
  test.each(['sftp', 'scp'])('reads a file by %s', { timeout: 60_000 }, async (scheme) => {
    const args = ['-sS', '-k', '--user', `${USER}:${PASSWORD}`, `${scheme}://${HOST}:${server.port}${readme}`]
    const { stdout, stderr, code } = await run('curl', args)
    expect({ code, text: stdout.toString(), stderr }).toMatchObject({ code: 0, text: 'said\n' })
  })
})
