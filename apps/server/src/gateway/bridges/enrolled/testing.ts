// For tests: devices without an agent, kept connected by a real ssh client.
import { type ChildProcess, spawn } from 'node:child_process'
import { type KeyObject, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import { operations } from '@bowline/contract/operations'
import type { InstallKeyBody } from '@bowline/contract/schemas/fleet/install-key'
import { acceptConnection } from '@bowline/ssh/server'
import { type ScratchFolder, sshOptions } from '@bowline/testkit/real-client'
import { until } from '@bowline/testkit/until'
import { onTestFinished } from 'vitest'
import type { BootedServer, Person } from '../../../testing/boot.ts'

let keys = 0
let devices = 0

/** File of a private key that no other device has. */
export function ownKey(scratch: ScratchFolder): string {
  // The size means nothing for this type, and tells keys apart.
  return scratch.key('ed25519', (devices += 1))
}

/** @returns the text of a new install key of the person's namespace */
export async function installKeyOf(person: Person, values: Partial<InstallKeyBody> = {}): Promise<string> {
  const body = { name: `fleet-${(keys += 1)}`, ...values }
  return (await person.client.call(operations.installKeys.create, { body })).body.key
}

/** An ssh client of a device that runs. */
export interface EnrolledClient {
  /** What it has printed, on both outputs. */
  said(): string
  /** Resolves with its status when it has ended. */
  readonly ended: Promise<number | null>
  stop(): void
}

export interface ClientOptions {
  /** Port of the device's SSH server. */
  readonly port: number
  /** File of the device's private key; undefined: it has none. */
  readonly key: string | undefined
  readonly extra?: readonly string[]
}

/** Connects a device by OpenSSH until the end of the test. @param user an install key, or a uid */
export function connectDevice(server: BootedServer, user: string, device: ClientOptions): EnrolledClient {
  const { port, key, extra = [] } = device
  const identity = key === undefined ? ['PubkeyAuthentication=no'] : [`IdentityFile=${key}`]
  const options = ['LogLevel=INFO', ...identity, 'ExitOnForwardFailure=yes']
  const args = [...sshOptions(server.sshPort, options), ...extra]
  return startClient('ssh', [...args, '-R', `0:localhost:${port}`, `${user}@127.0.0.1`])
}

/** Runs a client until the end of the test. */
export function startClient(program: string, args: readonly string[]): EnrolledClient {
  const child: ChildProcess = spawn(program, args, { env: { ...process.env, SSH_AUTH_SOCK: '' } })
  const said: Buffer[] = []
  child.stdout?.on('data', (bytes: Buffer) => said.push(bytes))
  child.stderr?.on('data', (bytes: Buffer) => said.push(bytes))
  const ended = once(child, 'close').then(([code]) => code as number | null)
  onTestFinished(async () => {
    child.kill()
    await ended
  })
  return { said: () => Buffer.concat(said).toString(), ended, stop: () => void child.kill() }
}

/** A server on loopback until the end of the test. @returns its port */
export async function listenUntilEnd(serve: (socket: Socket) => void): Promise<number> {
  const listener = createServer((socket) => {
    socket.on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    serve(socket)
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  onTestFinished(() => void listener.close())
  return (listener.address() as AddressInfo).port
}

/**
 * An SSH server with a host key of its own, which takes anything.
 * @param others private keys beside its own Ed25519 one
 * @returns its port and what it was sent
 */
export async function impostor(...others: KeyObject[]) {
  const credentials: unknown[] = []
  const keys = [generateKeyPairSync('ed25519').privateKey, ...others]
  const hostKeys = keys.map((key) => key.export({ format: 'pem', type: 'pkcs8' }))
  const methods = ['password', 'keyboard-interactive', 'publickey'] as const
  const port = await listenUntilEnd((socket) => {
    acceptConnection(
      socket,
      { address: '127.0.0.1', port: 1 },
      { hostKeys, software: 'Impostor', methods },
      {
        authenticate(_, attempt) {
          credentials.push(attempt)
          return Promise.resolve({ result: 'accept' })
        },
        open: () => ({ accept: false, code: 1, message: '' }),
        closed: () => undefined,
      },
    )
  })
  return { port, credentials }
}

/** A port in front of another, which can change. */
export async function relayTo(to: number) {
  const target = { port: to }
  const port = await listenUntilEnd((socket) => {
    const inner = connect(target.port, '127.0.0.1')
    inner.on('error', () => socket.destroy())
    inner.on('close', () => socket.destroy())
    socket.on('close', () => inner.destroy())
    socket.pipe(inner).pipe(socket)
  })
  return { port, target }
}

/** The devices of a namespace, as a list shows them. */
export async function devicesOf(person: Person) {
  const pending = await person.client.call(operations.devices.list, { query: { status: 'pending' } })
  const accepted = await person.client.call(operations.devices.list, { query: { status: 'accepted' } })
  return [...pending.body, ...accepted.body]
}

/** The device of this name, once it is online. */
export async function onlineDevice(person: Person, name: string) {
  const find = async () => (await devicesOf(person)).find((device) => device.name === name && device.online)
  await until(async () => (await find()) !== undefined)
  const device = await find()
  if (!device) throw new Error('the device has gone offline')
  return device
}
