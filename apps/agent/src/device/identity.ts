// This machine's identity, stable across reboots and renames, and its description.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { arch, hostname } from 'node:os'
import { join } from 'node:path'

/** System description sent to `devices/auth`. */
export interface DeviceDescription {
  readonly id: string
  readonly pretty_name: string
  readonly version: string
  readonly arch: string
  readonly platform: 'native' | 'docker'
}

const ETHERNET = '1'
const MAC = /^(?!00:00:00:00:00:00$)(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/

/**
 * The MAC address of the Ethernet interface with the lowest index; on a machine without one (a container), a stable
 * substitute derived from its machine id, or else from the device key.
 * @param root folder that contains `sys` and `etc`
 */
export function machineIdentity(publicKeyPem: string, root = '/'): string {
  const interfaces = listed(join(root, 'sys/class/net'))
    .map((name) => {
      const file = (leaf: string) => text(join(root, 'sys/class/net', name, leaf))
      return { index: Number(file('ifindex')), type: file('type'), mac: file('address').toLowerCase() }
    })
    .filter(({ type, mac }) => type === ETHERNET && MAC.test(mac))
    .sort((a, b) => a.index - b.index)
  return interfaces[0]?.mac ?? substituteMac(text(join(root, 'etc/machine-id')) || publicKeyPem)
}

/** A locally administered address; the machine id itself must not leave the machine (machine-id(5)). */
function substituteMac(secret: string): string {
  const digest = createHash('sha256').update(`bowline device identity\0${secret}`).digest()
  return ['02', ...[...digest.subarray(0, 5)].map((byte) => byte.toString(16).padStart(2, '0'))].join(':')
}

/** @param root folder that contains `etc` */
export function describeDevice(version: string, root = '/'): DeviceDescription {
  const release = new Map(
    text(join(root, 'etc/os-release'))
      .split('\n')
      .map((line): [string, string] => {
        const [, name = '', value = ''] = /^([A-Z_]+)=["']?(.*?)["']?$/.exec(line) ?? []
        return [name, value]
      }),
  )
  return {
    id: release.get('ID') ?? 'linux',
    pretty_name: release.get('PRETTY_NAME') ?? 'Linux',
    version,
    arch: arch() === 'x64' ? 'amd64' : arch(),
    platform: existsSync(join(root, '.dockerenv')) ? 'docker' : 'native',
  }
}

/** The device name to request. */
export function deviceHostname(): string {
  return hostname()
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function text(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return ''
  }
}
