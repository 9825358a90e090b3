import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { describeDevice, machineIdentity } from './identity.ts'

const roots: string[] = []
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true })
})

function machine(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'bowline-machine-'))
  roots.push(root)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  return root
}

function networkInterface(name: string, ifindex: number, type: number, address: string): Record<string, string> {
  const folder = `sys/class/net/${name}`
  return {
    [`${folder}/ifindex`]: `${ifindex}\n`,
    [`${folder}/type`]: `${type}\n`,
    [`${folder}/address`]: `${address}\n`,
  }
}

test('uses the address of the first Ethernet interface as identity', () => {
  const root = machine({
    ...networkInterface('lo', 1, 772, '00:00:00:00:00:00'),
    ...networkInterface('wlan0', 10, 1, 'AA:BB:CC:DD:EE:10'),
    ...networkInterface('eth0', 9, 1, 'aa:bb:cc:dd:ee:09'),
    ...networkInterface('wg0', 2, 65_534, ''),
    ...networkInterface('dummy0', 3, 1, '00:00:00:00:00:00'),
  })
  expect(machineIdentity('key', root)).toBe('aa:bb:cc:dd:ee:09')
})

test('derives the identity from the machine id without an interface, and does not disclose it', () => {
  const root = machine({ 'etc/machine-id': '3d1219c7c4c5404aaa1f6d2a48adfda4\n' })
  const identity = machineIdentity('key', root)
  expect(identity).toMatch(/^02(?::[0-9a-f]{2}){5}$/)
  expect(machineIdentity('another key', root)).toBe(identity)
  expect(machineIdentity('key', machine({ 'etc/machine-id': '4d1219c7c4c5404aaa1f6d2a48adfda4\n' }))).not.toBe(identity)
})

test('derives the identity from the device key without a machine id', () => {
  const root = machine({})
  expect(machineIdentity('key', root)).toBe(machineIdentity('key', root))
  expect(machineIdentity('key', root)).not.toBe(machineIdentity('another key', root))
})

test('describes the system from os-release', () => {
  const root = machine({
    'etc/os-release': 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\n',
    '.dockerenv': '',
  })
  expect(describeDevice('1.2.3', root)).toMatchObject({
    id: 'debian',
    pretty_name: 'Debian GNU/Linux 12 (bookworm)',
    version: '1.2.3',
    platform: 'docker',
  })
  expect(describeDevice('1.2.3', machine({}))).toMatchObject({ id: 'linux', pretty_name: 'Linux', platform: 'native' })
})
