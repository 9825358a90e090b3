import { execFileSync, spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { installScript } from './script.ts'

const tenantId = '11111111-1111-4111-8111-111111111111'

const defaults = {
  serverAddress: 'http://x',
  tenantId,
  pin: '',
  preferredHostname: '',
  preferredIdentity: '',
  keepaliveInterval: '',
  updateKey: '',
  sums: { x64: '', arm64: '' },
}

/** Runs the head of the script, before any action, and prints the resulting settings. */
function defaultsOf(serverAddress: string, env: Record<string, string> = {}): string {
  const script = installScript({ ...defaults, serverAddress })
  const head = script.slice(0, script.indexOf('fail()'))
  return execFileSync('sh', ['-c', `${head}\nprintf %s "$SERVER_ADDRESS $TENANT_ID"`], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    encoding: 'utf8',
  })
}

describe('install script', () => {
  it('generates valid sh', () => {
    const check = spawnSync('sh', ['-n'], { input: installScript(defaults) })
    expect(check.status).toBe(0)
  })

  it('contains address and namespace, which the environment overrides', () => {
    expect(defaultsOf('http://127.0.0.1:8080')).toBe(`http://127.0.0.1:8080 ${tenantId}`)
    expect(defaultsOf('http://a', { SERVER_ADDRESS: 'http://b' })).toBe(`http://b ${tenantId}`)
  })

  it.each([
    ['https://a', '-fsSL --proto =https --proto-redir =https -o f https://a/path'],
    ['http://a', '-fsSL -o f http://a/path'],
  ])('follows no redirection from %s to a protocol without encryption', (address, expected) => {
    const script = installScript({ ...defaults, serverAddress: address })
    const head = script.slice(0, script.indexOf('is_root()'))
    const run = `${head}\ncurl() { printf '%s' "$*"; }\nfetch /path f`
    expect(execFileSync('sh', ['-c', run], { encoding: 'utf8' })).toBe(expected)
  })

  it.each(["http://x'; echo hacked; '", 'http://$(echo hacked)', 'http://`echo hacked`', 'http://$&$1'])(
    'quotes a hostile server address: %s',
    (address) => {
      expect(defaultsOf(address)).toBe(`${address} ${tenantId}`)
    },
  )
})
