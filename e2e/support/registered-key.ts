// Keys of ssh that are registered in the namespace, for every device and account.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { operations } from '@bowline/contract/operations'
import type { Client } from './server.ts'

/**
 * Makes a key pair and registers it.
 * @param file of the private key, which must not exist
 */
export async function registerKey(client: Client, file: string, name: string): Promise<void> {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file])
  const data = Buffer.from(readFileSync(`${file}.pub`)).toString('base64')
  await client.call(operations.publicKeys.create, { body: { name, username: '.*', filter: { hostname: '.*' }, data } })
}
