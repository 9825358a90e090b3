// Assessment of our algorithms by ssh-audit and a current client.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { trixie, trixieMissing } from '@bowline/testkit/place'
import { ScratchFolder, run } from '@bowline/testkit/real-client'
import { OpenSsh } from '@bowline/testkit/clients/openssh'
import { runProgram } from '@bowline/testkit/clients/program'
import { serverOffer } from '../../src/transport/algorithms.ts'
import { startShellServer } from '../support/shell-server.ts'
import type { ShellServer } from '../support/shell-server.ts'

const absent = trixieMissing()

describe.skipIf(absent)(`a server with the default options${absent ? `: not run: ${absent}` : ''}`, () => {
  const folder = new ScratchFolder()
  let server: ShellServer
  beforeAll(async () => {
    server = await startShellServer()
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  test('passes ssh-audit 3.3.0 without failure or warning, and offers the expected list', async () => {
    // The rate test concerns what is in front of the handshake: the embedding program's admission.
    const args = ['-j', '--skip-rate-test', '-p', String(server.port), '127.0.0.1']
    const audited = await run(...trixie.command('ssh-audit', args))
    const report = JSON.parse(audited.stdout.toString()) as Record<string, unknown>
    const notes = JSON.stringify(report)
    expect([notes.includes('"fail"'), notes.includes('"warn"'), audited.code]).toEqual([false, false, 0])
    expect(report['cves']).toEqual([])
    const names = (group: string) => (report[group] as { algorithm: string }[]).map(({ algorithm }) => algorithm)
    expect(Object.fromEntries(['kex', 'key', 'enc', 'mac'].map((group) => [group, names(group)]))).toEqual({
      kex: [
        'mlkem768x25519-sha256',
        'curve25519-sha256',
        'curve25519-sha256@libssh.org',
        'kex-strict-s-v00@openssh.com',
      ],
      key: ['ssh-ed25519'],
      // It supports AES-GCM, so it is offered nothing costlier.
      enc: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com'],
      mac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com'],
    })
    expect(report['compression']).toEqual(['none'])
    const version = await run(...trixie.command('ssh-audit', ['-h']))
    expect(`${version.stdout.toString()}${version.stderr}`).toContain('ssh-audit v3.3.0')
  })

  test('offers no algorithm that ssh-audit warns about', async () => {
    const { kex, hostKey, cipherToClient, macToClient } = serverOffer({
      hostKeyAlgorithms: ['ssh-ed25519'],
      legacy: false,
    })
    expect(cipherToClient).toEqual([
      'chacha20-poly1305@openssh.com',
      'aes128-gcm@openssh.com',
      'aes256-gcm@openssh.com',
      'aes128-ctr',
      'aes256-ctr',
    ])
    const names = [...kex, ...hostKey, ...cipherToClient, ...macToClient]
    const { stdout } = await run(...trixie.command('ssh-audit', ['-n', `--lookup=${names.join()}`]))
    const told = stdout.toString()
    expect(names.filter((name) => !told.includes(`) ${name} `))).toEqual([])
    expect(told).not.toMatch(/\[(warn|fail)\]/)
  })

  test('negotiates a post-quantum exchange with OpenSSH 10.0 without a warning, and sends its signature algorithms', async () => {
    const { stderr, stdout } = await runProgram(new OpenSsh(trixie, folder.path), {
      id: 'verbose',
      port: server.port,
      user: 'user',
      fingerprint: '',
      login: { method: 'password', password: 'right' },
      task: { kind: 'exec', command: 'echo in' },
    })
    expect(stdout).toBe('in\n')
    expect(stderr).toContain('kex: algorithm: mlkem768x25519-sha256\r\n')
    expect(stderr).not.toMatch(/post-quantum|\*\* WARNING/i)
    expect(/server-sig-algs=<(.*)>/.exec(stderr)?.[1]).toBe(
      'ssh-ed25519,sk-ssh-ed25519@openssh.com,ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,ecdsa-sha2-nistp521,' +
        'sk-ecdsa-sha2-nistp256@openssh.com,rsa-sha2-512,rsa-sha2-256',
    )
  })
})
