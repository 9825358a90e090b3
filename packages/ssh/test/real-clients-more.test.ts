// OpenSSH beyond a plain command: forwards, agent, certificates, shared connections, host key updates, file transfer.
import { createHash, randomBytes } from 'node:crypto'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, connect as dial } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listeningPort } from '@bowline/base/testing/listening-port'
import { freePort } from '@bowline/testkit/free-port'
import { ScratchFolder, hasCommand, run, sshOptions, sshWithKey } from '@bowline/testkit/real-client'
import type { AuthAttempt } from '../src/api.ts'
import { Listeners, openForward } from './support/forwarding.ts'
import { ShellChannel, newHostKey, rightPasswordOrAnyKey, startShellServer } from './support/shell-server.ts'
import type { ShellServer } from './support/shell-server.ts'

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe.skipIf(!hasCommand('ssh') || !hasCommand('ssh-agent'))('OpenSSH', () => {
  const folder = new ScratchFolder()
  const listeners = new Listeners()
  const attempts: AuthAttempt[] = []
  let server: ShellServer
  let key: string
  let authority: string
  /** A TCP echo service, and its port. */
  const echo = createServer({ allowHalfOpen: true }, (socket) => void socket.pipe(socket))
  let echoPort = 0

  beforeAll(async () => {
    key = folder.key('ed25519')
    authority = folder.file('ca')
    spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', authority])
    const caBlob = Buffer.from(readFileSync(`${authority}.pub`, 'utf8').split(' ')[1] ?? '', 'base64')
    echo.listen(0, '127.0.0.1')
    await once(echo, 'listening')
    echoPort = listeningPort(echo)
    server = await startShellServer(
      { hostKeys: [newHostKey(), newHostKey()], userCertificateAuthorities: [caBlob] },
      {
        authenticate: (_connection, attempt) => {
          attempts.push(attempt)
          return rightPasswordOrAnyKey(attempt)
        },
        open: (_connection, request) =>
          request.type === 'session'
            ? { accept: true, attach: (channel) => new ShellChannel(channel) }
            : openForward(request),
        listen: (connection, request) => listeners.listen(connection, request),
        unlisten: (_connection, request) => listeners.unlisten(request),
      },
    )
  })

  afterAll(async () => {
    listeners.close()
    echo.close()
    await server[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  /** A background ssh process, resolved once it has signed in and set up its forwards. */
  async function background(extra: readonly string[], args: readonly string[]) {
    const options = sshOptions(server.port, [
      `IdentityFile=${key}`,
      'BatchMode=yes',
      'ExitOnForwardFailure=yes',
      ...extra,
    ])
    const child = spawn('ssh', [...options, ...args, 'user@127.0.0.1', 'echo ready; cat'])
    await once(child.stdout, 'data')
    return {
      child,
      async end() {
        child.stdin.end()
        if (child.exitCode === null) await once(child, 'exit')
      },
    }
  }

  async function throughPort(port: number, bytes: Buffer): Promise<Buffer> {
    const socket = dial(port, '127.0.0.1')
    const parts: Buffer[] = []
    socket.on('data', (part: Buffer) => parts.push(part))
    socket.end(bytes)
    await once(socket, 'end')
    return Buffer.concat(parts)
  }

  test('forwards a local port (-L), many connections at once, megabytes each', async () => {
    const port = await freePort()
    const client = await background([], ['-L', `127.0.0.1:${port}:127.0.0.1:${echoPort}`])
    const sent = [1, 2, 3, 4].map(() => randomBytes(2_000_000))
    const got = await Promise.all(sent.map((bytes) => throughPort(port, bytes)))
    await client.end()
    expect(got.map(sha256)).toEqual(sent.map(sha256))
  })

  test('forwards a remote port (-R), with a port the server chooses', async () => {
    const options = sshOptions(server.port, [`IdentityFile=${key}`, 'BatchMode=yes', 'LogLevel=INFO'])
    const args = [...options, '-R', `0:127.0.0.1:${echoPort}`, 'user@127.0.0.1', 'echo ready; cat']
    const child = spawn('ssh', args)
    let text = ''
    child.stderr.on('data', (bytes: Buffer) => {
      text += bytes.toString()
    })
    await once(child.stdout, 'data')
    const port = Number(/Allocated port (\d+)/.exec(text)?.[1])
    const sent = randomBytes(3_000_000)
    const got = await throughPort(port, sent)
    child.stdin.end()
    await once(child, 'exit')
    expect(sha256(got)).toBe(sha256(sent))
  })

  test('forwards UNIX sockets both ways', async () => {
    const target = folder.file('echo.sock')
    const unixEcho = createServer({ allowHalfOpen: true }, (socket) => void socket.pipe(socket))
    unixEcho.listen(target)
    await once(unixEcho, 'listening')
    const near = folder.file('near.sock')
    const far = folder.file('far.sock')
    const client = await background([], ['-L', `${near}:${target}`, '-R', `${far}:${target}`])
    const got: string[] = []
    for (const path of [near, far]) {
      const socket = dial(path)
      const parts: Buffer[] = []
      socket.on('data', (part: Buffer) => parts.push(part))
      socket.end('over there and back')
      await once(socket, 'end')
      got.push(Buffer.concat(parts).toString())
    }
    await client.end()
    unixEcho.close()
    expect(got).toEqual(['over there and back', 'over there and back'])
  })

  test('reports a forward whose target refuses the connection', async () => {
    const dead = await freePort()
    const options = sshOptions(server.port, [`IdentityFile=${key}`, 'BatchMode=yes', 'LogLevel=INFO'])
    const result = await run('ssh', [...options, '-W', `127.0.0.1:${dead}`, 'user@127.0.0.1'])
    expect(result.stderr).toContain('nobody listens there')
  })

  test('forwards its agent (-A)', async () => {
    const listed = Promise.withResolvers<Buffer>()
    await using own = await startShellServer(
      {},
      {
        open: (connection) => ({
          accept: true,
          attach: (channel) => ({
            data: () => undefined,
            closed: () => undefined,
            request: (request) => {
              if (request.type === 'exec') {
                connection
                  .openChannel('auth-agent@openssh.com', Buffer.alloc(0), (agentChannel) => {
                    // SSH_AGENTC_REQUEST_IDENTITIES
                    agentChannel.write(Buffer.of(0, 0, 0, 1, 11))
                    return {
                      data: (bytes) => {
                        listed.resolve(Buffer.from(bytes))
                        agentChannel.close()
                        channel.exitStatus(0)
                        channel.close()
                      },
                      closed: () => undefined,
                    }
                  })
                  .catch(listed.reject)
              }
              return true
            },
          }),
        }),
      },
    )
    const options = sshOptions(own.port, [`IdentityFile=${key}`, 'BatchMode=yes']).join(' ')
    const script = `ssh-add -q ${key} && ssh -A ${options} user@127.0.0.1 list`
    const result = await run('ssh-agent', ['sh', '-c', script])
    expect(result.code).toBe(0)
    const blob = Buffer.from(readFileSync(`${key}.pub`, 'utf8').split(' ')[1] ?? '', 'base64')
    expect((await listed.promise).includes(blob)).toBe(true)
  })

  test('signs in with a certificate, and not with one that has expired', async () => {
    const own = folder.file('certified')
    spawnSync('ssh-keygen', ['-q', '-t', 'ecdsa', '-N', '', '-f', own])
    const sign = (validity: string) =>
      spawnSync('ssh-keygen', ['-q', '-s', authority, '-I', 'alice', '-n', 'user,root', '-V', validity, `${own}.pub`])
    sign('+1h')
    attempts.length = 0
    const extra = [`CertificateFile=${own}-cert.pub`]
    expect((await sshWithKey(server.port, own, 'echo in', { extra })).stdout.toString()).toBe('in\n')
    const certified = () =>
      attempts.filter((attempt) => attempt.method === 'publickey' && attempt.proven && attempt.key.certificate)
    expect(certified()).toMatchObject([{ key: { certificate: { keyId: 'alice', principals: ['user', 'root'] } } }])
    sign('20200101:20200102')
    attempts.length = 0
    // The handler of this test accepts plain keys too, so the client gets in; but never with the certificate.
    await sshWithKey(server.port, own, 'echo in', { extra })
    expect(certified()).toEqual([])
  })

  test('shares one connection between sessions (ControlMaster)', async () => {
    const path = folder.file('control')
    const master = await background(['ControlMaster=yes', `ControlPath=${path}`], [])
    const before = server.closed.length
    const share = [...sshOptions(server.port, [`ControlPath=${path}`]), 'user@127.0.0.1']
    const results = await Promise.all([1, 2, 3, 4, 5].map((nr) => run('ssh', [...share, `echo ${nr}; exit ${nr}`])))
    expect(results.map(({ stdout, code }) => [stdout.toString().trim(), code])).toEqual(
      [1, 2, 3, 4, 5].map((nr) => [String(nr), nr]),
    )
    expect(server.closed.length).toBe(before)
    await master.end()
  })

  test('learns the second host key after proof (UpdateHostKeys)', async () => {
    const known = folder.file('known_hosts')
    writeFileSync(known, '')
    const extra = [`UserKnownHostsFile=${known}`, 'UpdateHostKeys=yes', 'StrictHostKeyChecking=accept-new']
    const args = ['-F', '/dev/null', '-p', String(server.port), '-i', key]
    const options = [...extra, 'BatchMode=yes', 'IdentitiesOnly=yes', 'LogLevel=ERROR'].flatMap((option) => [
      '-o',
      option,
    ])
    // OpenSSH updates only known hosts.
    await run('ssh', [...args, ...options, 'user@127.0.0.1', 'true'])
    await run('ssh', [...args, ...options, 'user@127.0.0.1', 'sleep 0.3'])
    expect(readFileSync(known, 'utf8').trim().split('\n').length).toBe(2)
  })

  test('copies files with sftp and scp', async () => {
    const bytes = randomBytes(8_000_000)
    const from = folder.file('from.bin')
    writeFileSync(from, bytes)
    await using own = await startShellServer(
      {},
      {
        open: () => ({
          accept: true,
          attach: (channel) => {
            const child = spawn('/usr/lib/openssh/sftp-server')
            child.stdout.on('data', (part: Buffer) => {
              if (!channel.write(part)) child.stdout.pause()
            })
            child.on('close', (code) => {
              channel.exitStatus(code ?? 1)
              channel.close()
            })
            return {
              data: (part) => void child.stdin.write(part, () => channel.consumed(part.length)),
              drain: () => void child.stdout.resume(),
              eof: () => void child.stdin.end(),
              request: (request) => request.type === 'env' || (request.type === 'subsystem' && request.name === 'sftp'),
              closed: () => void child.kill(),
            }
          },
        }),
      },
    )
    const options = sshOptions(own.port, [`IdentityFile=${key}`, 'BatchMode=yes']).map((option) =>
      option === '-p' ? '-P' : option,
    )
    const to = folder.file('to.bin')
    const back = folder.file('back.bin')
    expect((await run('scp', ['-s', ...options, from, `user@127.0.0.1:${to}`])).code).toBe(0)
    expect((await run('sftp', [...options, `user@127.0.0.1:${to}`, back])).code).toBe(0)
    expect(sha256(readFileSync(back))).toBe(sha256(bytes))
  })
})
