// The server behind the console's tests. A journey uses `ConsoleBackend` only, so any server can implement it; what no
// real server does on demand (failing, expiring, filling a namespace) goes through `fake`.
import { createClient } from '@bowline/contract/client'
import { auth } from '@bowline/contract/operations/auth'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { type FakeServer, startFakeServer } from '../../apps/console/src/testing/fake-server.ts'
import { PUBLIC_KEY, TENANT } from '../../apps/console/src/testing/fixtures.ts'
import { borrowConsole } from './build.ts'

export interface ConsoleBackend {
  readonly origin: string
  readonly username: string
  readonly password: string
  /** Registers a device as its agent does. */
  registerDevice(name: string): Promise<DeviceUid>
  /** Connects or disconnects its agent. */
  setOnline(uid: DeviceUid, online: boolean): void
  close(): Promise<void>
}

export interface FakeBackend extends ConsoleBackend {
  readonly fake: FakeServer
}

/** Starts the fake server with the built console. */
export async function startFakeBackend(): Promise<FakeBackend> {
  const built = await borrowConsole()
  const fake = await startFakeServer(built.folder)
  const client = createClient({ origin: fake.origin })
  return {
    fake,
    origin: fake.origin,
    username: 'ada',
    password: 'correct horse',
    async registerDevice(name) {
      const { body } = await client.call(auth.authenticateDevice, {
        body: {
          hostname: name,
          identity: { mac: macOf(name) },
          info: {
            id: 'debian',
            pretty_name: 'Debian GNU/Linux 12',
            version: '0.1.0',
            arch: 'x86_64',
            platform: 'native',
          },
          public_key: PUBLIC_KEY,
          tenant_id: TENANT,
        },
      })
      return body.uid
    },
    setOnline: (uid, online) => fake.state.setOnline(uid, online),
    async close() {
      await fake.close()
      await built.release()
    },
  }
}

/** A locally administered MAC address derived from a name. */
function macOf(name: string): string {
  const bytes = Buffer.from(name.padEnd(5, '.')).subarray(0, 5)
  return ['02', ...[...bytes].map((byte) => byte.toString(16).padStart(2, '0'))].join(':')
}
