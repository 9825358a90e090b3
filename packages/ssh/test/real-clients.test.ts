// The server against real clients. Skipped, with the reason, where they are not installed.
import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ScratchFolder, hasCommand, run, sshOptions, sshWithKey, sshWithPassword } from '@bowline/testkit/real-client'
import { startShellServer } from './support/shell-server.ts'
import type { ShellServer } from './support/shell-server.ts'

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe.skipIf(!hasCommand('ssh') || !hasCommand('sshpass'))('OpenSSH', () => {
  const folder = new ScratchFolder()
  let server: ShellServer
  let key: string

  beforeAll(async () => {
    server = await startShellServer()
    key = folder.key('ed25519')
  })

  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  test('runs a command with a password and returns output, errors and exit code', async () => {
    const result = await sshWithPassword(server.port, 'echo out; echo err >&2; exit 7')
    expect(result).toMatchObject({ stderr: 'err\n', code: 7 })
    expect(result.stdout.toString()).toBe('out\n')
  })

  test('rejects a wrong password', async () => {
    const result = await sshWithPassword(server.port, 'echo out', { password: 'wrong' })
    expect(result.stdout.length).toBe(0)
    expect(result.code).not.toBe(0)
  })

  test.each([
    ['ed25519', undefined],
    ['ecdsa', 256],
    ['ecdsa', 384],
    ['ecdsa', 521],
    ['rsa', 3072],
  ])('signs in with a key: %s %s', async (type, bits) => {
    const result = await sshWithKey(server.port, folder.key(type, bits), 'echo in')
    expect(result.stdout.toString()).toBe('in\n')
  })

  test('rejects RSA keys under 2048 bits and SHA-1 signatures', async () => {
    const small = await sshWithKey(server.port, folder.key('rsa', 1024), 'echo in', {
      extra: ['RequiredRSASize=1024'],
    })
    const sha1 = await sshWithKey(server.port, folder.key('rsa', 2048), 'echo in', {
      extra: ['PubkeyAcceptedAlgorithms=ssh-rsa'],
    })
    expect([small.stdout.length, sha1.stdout.length]).toEqual([0, 0])
    expect([small.code, sha1.code]).toEqual([255, 255])
  })

  const ciphers = ['chacha20-poly1305@openssh.com', 'aes128-gcm@openssh.com', 'aes256-gcm@openssh.com']
  const counters = ['aes128-ctr', 'aes256-ctr'].flatMap((cipher) =>
    ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com'].map((mac) => [cipher, mac]),
  )
  test.each([...ciphers.map((cipher) => [cipher, 'hmac-sha2-256-etm@openssh.com']), ...counters])(
    'echoes megabytes unchanged: %s %s',
    async (cipher, mac) => {
      const input = randomBytes(5_000_000)
      const extra = [`Ciphers=${cipher}`, `MACs=${mac}`]
      const result = await sshWithKey(server.port, key, 'cat', { extra, input })
      expect(result.stdout.length).toBe(input.length)
      expect(sha256(result.stdout)).toBe(sha256(input))
    },
  )

  const OLD = [
    ['KexAlgorithms=ecdh-sha2-nistp256', 'Ciphers=aes128-ctr', 'MACs=hmac-sha2-256'],
    ['KexAlgorithms=diffie-hellman-group14-sha256', 'Ciphers=aes256-ctr', 'MACs=hmac-sha2-512'],
  ]
  test.each(OLD)('accepts old algorithms only where enabled: %s %s %s', async (...extra) => {
    await using old = await startShellServer({ compatibility: 'all' })
    const input = randomBytes(2_000_000)
    const result = await sshWithKey(old.port, key, 'cat', { extra: [...extra, 'RekeyLimit=1M'], input })
    expect(sha256(result.stdout)).toBe(sha256(input))
    for (const one of [extra[0] ?? '', extra[2] ?? '']) {
      const more = one.startsWith('MACs') ? ['Ciphers=aes128-ctr'] : []
      expect((await sshWithKey(server.port, key, 'true', { extra: [one, ...more] })).code).toBe(255)
    }
  })

  test('keeps data intact while the client rekeys repeatedly', async () => {
    const input = randomBytes(20_000_000)
    const result = await sshWithKey(server.port, key, 'cat', { extra: ['RekeyLimit=1M'], input })
    expect(sha256(result.stdout)).toBe(sha256(input))
  })

  test('keeps data intact while the server rekeys repeatedly', async () => {
    await using own = await startShellServer({ limits: { rekeyBytes: 1_000_000 } })
    const input = randomBytes(20_000_000)
    const result = await sshWithKey(own.port, key, 'cat', { input })
    expect(sha256(result.stdout)).toBe(sha256(input))
  })

  test('ends the command when the output is no longer read: ssh host yes | head -1', async () => {
    const args = sshOptions(server.port, [`IdentityFile=${key}`, 'BatchMode=yes']).join(' ')
    const result = await run('bash', [
      '--norc',
      '-c',
      `ssh ${args} user@127.0.0.1 yes | head -1; echo "\${PIPESTATUS[0]}"`,
    ])
    expect(result.stdout.toString()).toMatch(/^y\n\d+\n$/)
  })

  test('reports an exit by signal', async () => {
    const result = await sshWithKey(server.port, key, 'kill -TERM $$')
    expect(result.code).toBe(255)
  })

  test('closes with a typed cause', async () => {
    await using own = await startShellServer()
    await sshWithKey(own.port, key, 'true')
    await own.whenClosed(1)
    expect(own.closed).toEqual([
      { by: 'peer', reason: 'disconnect', message: 'The client disconnected (reason code 11).' },
    ])
  })
})

describe.skipIf(!hasCommand('plink') || !hasCommand('ssh-keyscan'))('PuTTY', () => {
  test('runs a command with a password', async () => {
    await using server = await startShellServer()
    const scanned = await run('sh', [
      '-c',
      `ssh-keyscan -p ${server.port} 127.0.0.1 2>/dev/null | ssh-keygen -lf - | awk '{print $2}'`,
    ])
    const args = ['-batch', '-P', String(server.port), '-pw', 'right', '-hostkey', scanned.stdout.toString().trim()]
    const result = await run('plink', [...args, 'user@127.0.0.1', 'echo out; exit 3'])
    expect(result.stdout.toString()).toBe('out\n')
    expect(result.code).toBe(3)
  })
})
