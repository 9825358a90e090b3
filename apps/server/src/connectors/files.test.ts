// Files of a container without an sftp-server, with OpenSSH's sftp and scp through a server: as from a device.
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { type ContainerEngine, containerEngineMissing, startContainerEngine } from '@bowline/testkit/container-engine'
import { run, sshOptions } from '@bowline/testkit/real-client'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, bootServer } from '../testing/boot.ts'
import { type EngineWorld, LOOPBACK_ALLOWED, engineWorld } from './testing.ts'

const { namespaces, sessions } = operations
const missing = containerEngineMissing()

let engine: ContainerEngine
let server: BootedServer
let world: EngineWorld
let folder: string
beforeAll(async () => {
  if (missing !== undefined) return
  folder = mkdtempSync(join(tmpdir(), 'bowline-container-files-'))
  engine = await startContainerEngine()
  await engine.run('web')
  server = await bootServer({ settings: LOOPBACK_ALLOWED })
  world = await engineWorld(server, await server.setUpAccount(), engine)
  await world.accept('web')
})
afterAll(async () => {
  world?.close()
  await server?.close()
  await engine?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

const login = () => `ada@${world.person.namespace}.web`
const options = () =>
  sshOptions(server.sshPort, ['PreferredAuthentications=publickey', `IdentityFile=${world.key}`]).map((option) =>
    option === '-p' ? '-P' : option,
  )
const inside = (command: string) => engine.podman('exec', 'web', 'sh', '-c', command)
const at = (name: string) => join(folder, name)
const hash = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')

async function sftp(...lines: readonly string[]) {
  const batch = at('batch')
  writeFileSync(batch, `${lines.join('\n')}\n`)
  return run('sftp', ['-b', batch, ...options(), `${login()}@127.0.0.1`])
}

describe.skipIf(missing !== undefined)('files of a container', () => {
  it('are put, listed, changed and removed by sftp', async () => {
    writeFileSync(at('it is'), 'content\n', { mode: 0o640 })
    const { code, stdout, stderr } = await sftp(
      'mkdir sub',
      `put -p "${at('it is')}" sub/`,
      'chmod 600 "sub/it is"',
      'rename "sub/it is" sub/new',
      'ln -s new sub/link',
      'ls -l sub',
      `get sub/link "${at('back')}"`,
      'rm sub/new',
      'rm sub/link',
      'rmdir sub',
      'pwd',
      'df -h',
    )
    expect([code, stderr]).toEqual([0, ''])
    expect(readFileSync(at('back'), 'utf8')).toBe('content\n')
    expect(stdout.toString()).toMatch(/-rw------- .* ada +ada +8 .* (sub\/)?new\n/)
    expect(stdout.toString()).toContain('/home/ada')
    expect(await inside('ls -A /home/ada')).toBe('')
  })

  it('travel as 64 MiB unchanged, both ways', async () => {
    const content = randomBytes(67_108_864)
    writeFileSync(at('large'), content)
    const { code } = await run('scp', [...options(), at('large'), `${login()}@127.0.0.1:/tmp/large`])
    expect(code).not.toBe(0)
    await inside('chmod 1777 /tmp')
    const put = await run('scp', [...options(), at('large'), `${login()}@127.0.0.1:/tmp/large`])
    expect(put.code).toBe(0)
    expect(await inside('sha256sum </tmp/large')).toBe(`${hash(content)}  -`)
    const got = await run('scp', [...options(), `${login()}@127.0.0.1:/tmp/large`, at('returned')])
    expect(got.code).toBe(0)
    expect(hash(readFileSync(at('returned')))).toBe(hash(content))
  }, 60_000)

  it('travel as a tree of many small ones by scp -r', async () => {
    mkdirSync(at('tree/deep'), { recursive: true })
    for (let index = 0; index < 150; index += 1) writeFileSync(at(`tree/deep/f ${index}`), `${index}`, { mode: 0o444 })
    const put = await run('scp', ['-r', ...options(), at('tree'), `${login()}@127.0.0.1:`])
    expect([put.code, put.stderr]).toEqual([0, ''])
    const got = await run('scp', ['-r', ...options(), `${login()}@127.0.0.1:tree`, at('copy')])
    expect(got.code).toBe(0)
    const names = readdirSync(at('copy/deep'))
    expect(names).toHaveLength(150)
    expect(names.every((name) => readFileSync(at(`copy/deep/${name}`), 'utf8') === name.slice(2))).toBe(true)
  }, 60_000)

  it('leave what was done with them in the recording', async () => {
    const { client, tenant } = world.person
    const record = (session_record: boolean) =>
      client.call(namespaces.update, { params: { tenant }, body: { settings: { session_record } } })
    await record(true)
    writeFileSync(at('noted'), 'to be noted')
    expect((await sftp(`put "${at('noted')}" noted`)).code).toBe(0)
    await record(false)
    const file = await until(async () => {
      const [session] = (await client.call(sessions.list, {})).body
      const { body } = await client.call(sessions.get, { params: { uid: session?.uid ?? '' } })
      return body.events.items?.find(({ type }) => type === 'file')?.data
    })
    const sha256 = hash(Buffer.from('to be noted'))
    expect(file).toMatchObject({ operation: 'upload', path: '/home/ada/noted', bytes: 11, sha256, result: 'ok' })
  })
})
