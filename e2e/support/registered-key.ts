// Keys of ssh that are registered in the namespace, for every device and account.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { operations } from '@bowline/contract/operations'
import type { UserId } from '@bowline/contract/schemas/common'
import type { Client } from './server.ts'

/**
 * Makes a key pair and registers it.
 * @param file of the private key, which must not exist
 * @param owner default: the client's person
 */
export async function registerKey(client: Client, file: string, name: string, owner?: UserId): Promise<void> {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file])
  const data = Buffer.from(readFileSync(`${file}.pub`)).toString('base64')
  const body = { name, username: '.*', filter: { hostname: '.*' }, data }
  await client.call(operations.publicKeys.create, { body: { ...body, ...(owner === undefined ? {} : { owner }) } })
}
