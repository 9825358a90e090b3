// People with an account of the server, made by its own commands.
import { operations } from '@bowline/contract/operations'
import type { Role } from '@bowline/contract/roles'
import { runCommand } from '../../apps/server/src/cli/program.ts'
import { withoutSettings } from './product.ts'
import type { Server } from './server.ts'

export interface NewPerson {
  readonly username: string
  readonly password: string
  readonly email: string
}

/** Makes an account, and a member of the server's first namespace. @throws {Error} with what a command printed */
export async function addMember(
  server: Server,
  { username, password, email }: NewPerson,
  role: Exclude<Role, 'owner'>,
): Promise<void> {
  const { body: namespaces } = await (await server.client()).call(operations.namespaces.list, {})
  await serverCommand(server, ['user', 'create', username, password, email])
  await serverCommand(server, ['namespace', 'member', 'add', username, namespaces[0]?.name ?? '', role])
}

async function serverCommand({ dataFolder }: Server, words: readonly string[]): Promise<void> {
  const output: string[] = []
  const code = await runCommand([...words], {
    env: { ...withoutSettings(process.env), BOWLINE_DATA_DIR: dataFolder },
    read: () => Promise.resolve(''),
    print: (line) => output.push(line),
    complain: (line) => output.push(line),
  })
  if (code !== 0) throw new Error(output.join('\n'))
}
