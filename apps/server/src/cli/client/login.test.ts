// `bowline login` against a whole server, approved by a person over the API.
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'
import { runCommand } from '../program.ts'
import { commandLine } from '../testing.ts'

const { programs, users } = operations
let server: BootedServer
let ada: Person
let home: string
beforeAll(async () => {
  server = await bootServer()
  ada = await server.setUpAccount()
  home = await mkdtemp(join(tmpdir(), 'bowline-login-'))
})
afterAll(async () => {
  await server.close()
  await rm(home, { recursive: true })
})
const cli = commandLine(() => ({ HOME: home }))
const file = () => join(home, '.config/bowline/sign-in.json')

/** Runs `bowline login` and decides its code as a person. */
async function logIn(person: Person, approve = true): Promise<{ status: number; out: string; errors: string }> {
  const [out, errors]: [string[], string[]] = [[], []]
  const running = runCommand(['login', server.origin, '--name', 'laptop'], {
    env: { HOME: home },
    read: () => Promise.resolve(''),
    print: (line) => out.push(line),
    complain: (line) => errors.push(line),
  })
  const user_code = await until(() => /the code (\S+) within/.exec(errors.join('\n'))?.[1])
  await person.client.call(programs.decide, { body: { user_code, approve } })
  return { status: await running, out: out.join('\n'), errors: errors.join('\n') }
}

describe('bowline login', () => {
  it('signs in by a code, keeps the sign-in in a private file, and ends it', async () => {
    expect(await cli.refusal('whoami')).toEqual([1, expect.stringContaining('bowline login')])
    const ran = await logIn(ada)
    expect(ran).toMatchObject({ status: 0, out: `Signed in to ${server.origin} as ada.` })
    expect(ran.errors).toMatch(/Open http:\/\/\S+\/activate\?code=/)
    expect((await stat(file())).mode & 0o777).toBe(0o600)
    expect(await cli.json('whoami')).toEqual({
      server: server.origin,
      username: 'ada',
      tenant: ada.tenant,
      role: 'owner',
    })
    const token = await cli.bowline('token')
    const { body } = await server.client(token).call(users.listSignIns, {})
    expect(body.find(({ current }) => current)).toMatchObject({ kind: 'program', browser: 'laptop' })
    await cli.bowline('logout')
    expect((await server.fetch('/api/auth/user', { headers: { authorization: `Bearer ${token}` } })).status).toBe(401)
    await expect(stat(file())).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('renews a token that no longer works, and reports the end of the sign-in', async () => {
    await logIn(ada)
    const saved = JSON.parse(await readFile(file(), 'utf8')) as { token: string; refresh_token: string }
    await writeFile(file(), JSON.stringify({ ...saved, server: server.origin, token: 'expired' }))
    expect(await cli.bowline('whoami')).toBe(`ada at ${server.origin}`)
    const renewed = JSON.parse(await readFile(file(), 'utf8')) as { refresh_token: string }
    expect(renewed.refresh_token).not.toBe(saved.refresh_token)
    const { body } = await ada.client.call(users.listSignIns, {})
    const id = body.find(({ kind }) => kind === 'program')?.id ?? ''
    await ada.client.call(users.endSignIn, { params: { id } })
    expect(await cli.refusal('whoami')).toEqual([1, 'bowline: The sign-in has ended: run bowline login again.'])
    await expect(stat(file())).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('reports a denial and keeps nothing', async () => {
    expect(await logIn(ada, false)).toMatchObject({ status: 1, errors: expect.stringContaining('denied') as string })
    await expect(stat(file())).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('refuses an address that is none', async () => {
    expect(await cli.refusal('login ftp://example.com')).toEqual([1, expect.stringContaining('is not an address')])
  })
})
