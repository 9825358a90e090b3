import { spawnSync } from 'node:child_process'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { enrolCommand, installCommand, parseSshEndpoint, shellQuote, sshLine, sshLineParts } from './commands.ts'

const TARGET = { namespace: 'acme', device: 'edge-01' }

describe('the SSH line', () => {
  it('names the port in the SSH line unless it is 22', () => {
    expect(sshLine({ host: 'bowline.example', port: 2222 }, TARGET, 'root')).toBe(
      'ssh -p 2222 root@acme.edge-01@bowline.example',
    )
    expect(sshLine({ host: 'bowline.example', port: 22 }, TARGET, 'root')).toBe('ssh root@acme.edge-01@bowline.example')
  })

  it('quotes a user name that the shell would change', () => {
    expect(sshLine({ host: 'h', port: 22 }, TARGET, "CORP\\o'neill")).toBe("ssh 'CORP\\o'\\''neill@acme.edge-01@h'")
  })

  it('copies exactly the SSH line that is shown', () => {
    const endpoint = { host: 'h', port: 2222 }
    const { before, after } = sshLineParts(endpoint, TARGET)
    expect(`${before}root${after}`).toBe(sshLine(endpoint, TARGET, 'root'))
  })
})

it('enrols a device without an agent by its ssh client, naming the port unless it is 22', () => {
  const key = `ik-${'a'.repeat(26)}`
  expect(enrolCommand({ host: 'bowline.example', port: 2222 }, key)).toBe(
    `ssh -p 2222 -R 0:localhost:22 ${key}@bowline.example`,
  )
  expect(enrolCommand({ host: 'bowline.example', port: 22 }, key)).toBe(`ssh -R 0:localhost:22 ${key}@bowline.example`)
})

it.each([
  ['127.0.0.1:2222', { host: '127.0.0.1', port: 2222 }],
  ['bowline.example:22', { host: 'bowline.example', port: 22 }],
  ['bowline.example', { host: 'bowline.example', port: 22 }],
  ['[2001:db8::1]:2222', { host: '2001:db8::1', port: 2222 }],
  ['2001:db8::1', { host: '2001:db8::1', port: 22 }],
])('parses the endpoint %s as %j', (text, endpoint) => {
  expect(parseSshEndpoint(text)).toEqual(endpoint)
})

it('quotes any word so that a POSIX shell passes it on unchanged', () => {
  const word = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0') && !/[\ud800-\udfff]/.test(text))
  fc.assert(
    fc.property(word, (text) => {
      const { stdout } = spawnSync('sh', ['-c', `printf %s ${shellQuote(text)}`], { encoding: 'utf8' })
      expect(stdout).toBe(text)
    }),
    { numRuns: 50 },
  )
})

describe('the install command', () => {
  it('installs from this page’s origin into the namespace', () => {
    expect(installCommand('http://127.0.0.1:8080', 'tenant', '')).toBe(
      "curl -fsSL 'http://127.0.0.1:8080/install.sh?tenant_id=tenant' | sh",
    )
  })

  it('pins the key of a self-signed certificate', () => {
    expect(installCommand('https://10.0.0.5:8080', 'tenant', 'sha256//abc=')).toBe(
      "curl -fsSLk --pinnedpubkey 'sha256//abc=' --proto '=https' 'https://10.0.0.5:8080/install.sh?tenant_id=tenant' | sh",
    )
  })
})
