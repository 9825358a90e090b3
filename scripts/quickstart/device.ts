// Waits for the device of the quickstart's agent, accepts it and waits until it is online.
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { type ClientOptions, createClient } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import { keyFile } from './agent.ts'

const POLL_MS = 100
const ONLINE_TIMEOUT_MS = 30_000

/** @returns its SSHID without the user: `namespace.device` */
export async function awaitDevice(options: { api: ClientOptions; token: string; dataFolder: string }): Promise<string> {
  const { call } = createClient({ ...options.api, token: () => options.token })
  const deadline = Date.now() + ONLINE_TIMEOUT_MS
  for (;;) {
    const key = await publicKey(options.dataFolder)
    const query = { status: '', per_page: '100', sort_by: 'last_seen' } as const
    const { body } = await call(operations.devices.list, { query })
    const device = body.find((one) => one.public_key.trim() === key)
    if (device?.status === 'pending') {
      await call(operations.devices.setStatus, { params: { uid: device.uid, status: 'accept' } })
    } else if (device?.online) return `${device.namespace}.${device.name}`
    if (Date.now() > deadline) throw new Error('The agent of this machine did not come online within 30 s.')
    await wait(POLL_MS)
  }
}

/** The agent's public key in registration format; undefined until the agent has created its key. */
async function publicKey(dataFolder: string): Promise<string | undefined> {
  const pem = await readFile(keyFile(dataFolder), 'utf8').catch(() => undefined)
  return pem && createPublicKey(createPrivateKey(pem)).export({ type: 'spki', format: 'pem' }).trim()
}
